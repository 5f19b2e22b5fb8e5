// Robots through MJCF, SDF and URDF and back: the same frames, masses, limits and loops. Small models here; the real
// ones of the shared collection where it is at hand.
#include <doctest/doctest.h>

#include "armature/base/rng.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/assemble.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"
#include "armature/model/expand.hpp"
#include "armature/model/inertia.hpp"
#include "support/data.hpp"

using namespace armature;

namespace {

Document must_read_robot(const std::string& bytes, const std::string& name) {
  ReadOptions options;
  options.file_name = name;
  Result<Document> document = read_document(bytes, options);
  REQUIRE_MESSAGE(document.ok(), document.message());
  return std::move(*document);
}

// Links and joints of SDF share their names, so joints that are named like a link come back with "_joint" behind: that
// is taken off again, so that poses can be compared.
Document written_and_read(const Document& document, const std::string& format,
                          std::vector<std::string>* notes = nullptr) {
  WriteOptions options;
  options.notes = notes;
  const Result<std::string> text = write_document(document, **format_named(format), options);
  REQUIRE_MESSAGE(text.ok(), text.message());
  Document again = must_read_robot(*text, "x." + format);
  for (const Joint& joint : std::vector<Joint>(again.linkage.joints)) {
    const std::size_t stem = joint.name.size() > 6 ? joint.name.size() - 6 : 0;
    if (format != "sdf" || joint.name.substr(stem) != "_joint") continue;
    if (document.linkage.find_joint(joint.name) != nullptr) continue;
    REQUIRE(rename_joint(again.linkage, joint.name, joint.name.substr(0, stem)).ok());
  }
  return again;
}

Model must_compile_robot(const Document& document) {
  Result<Model> model = compile(document.linkage);
  REQUIRE_MESSAGE(model.ok(), model.message());
  return std::move(*model);
}

// Largest difference of frames over random poses, of the links that both have; `missing` counts those that only the
// first one has.
double frames_apart(const Model& a, const Model& b, int& missing) {
  Rng rng(3);
  double worst = 0.0;
  missing = 0;
  for (int trial = 0; trial < 5; ++trial) {
    VecX q = trial == 0 ? neutral_pose(a) : random_pose(a, rng);
    for (const ModelJoint& joint : a.joints()) {  // SDF has no joint of a free root
      if (std::holds_alternative<Free>(joint.type) && !b.lookup_joint(joint.name) &&
          !b.lookup_joint(joint.name + "_1")) {
        neutral_coordinates(joint.type, q.data() + joint.q_index);
      }
    }
    State at_a, at_b;
    forward(a, q, at_a);
    forward(b, expand_pose(a, q, b), at_b);
    missing = 0;
    for (int i = 0; i < a.link_count(); ++i) {
      const std::optional<int> same = b.lookup_link(a.link_name(i));
      if (!same) {
        ++missing;
        continue;
      }
      const Mat4 gap =
          at_a.X_WL[static_cast<std::size_t>(i)].matrix() - at_b.X_WL[static_cast<std::size_t>(*same)].matrix();
      worst = std::max(worst, gap.cwiseAbs().maxCoeff());
    }
  }
  return worst / std::max(1.0, a.size());
}

// All links as one rigid body, in the world, at the neutral pose.
Inertia whole_body(const Document& document, const Model& model) {
  State state;
  forward(model, neutral_pose(model), state);
  Inertia sum;
  for (const Link& link : document.linkage.links) {
    sum += inertia_of(link).in(state.X_WL[static_cast<std::size_t>(*model.lookup_link(link.name))]);
  }
  return sum;
}

void check_same_mass(const Document& a, const Document& b) {
  const Inertia before = whole_body(a, must_compile_robot(a)), after = whole_body(b, must_compile_robot(b));
  CHECK(after.mass == doctest::Approx(before.mass).epsilon(1e-12));
  CHECK((after.center - before.center).norm() < 1e-12 * (1.0 + before.center.norm()));
  CHECK((after.about_center - before.about_center).norm() < 1e-11 * (1.0 + before.about_center.norm()));
}

void check_same_limits(const Document& a, const Document& b) {
  for (const Joint& joint : a.linkage.joints) {
    const Joint* same = b.linkage.find_joint(joint.name);
    if (same == nullptr || coordinate_count(joint.type) != 1 || coordinate_count(same->type) != 1) continue;
    INFO(joint.name);
    const auto bound = [](const std::vector<double>& list, double none) { return list.empty() ? none : list[0]; };
    const double inf = std::numeric_limits<double>::infinity();
    CHECK(bound(joint.limits.lower, -inf) == bound(same->limits.lower, -inf));
    CHECK(bound(joint.limits.upper, inf) == bound(same->limits.upper, inf));
    CHECK(joint.mimic.has_value() == same->mimic.has_value());
  }
}

// Where the loops of `a` are closed, those of `b` are.
void check_same_loops(const Model& a, const Model& b) {
  if (a.closures().empty()) return;
  VecX q = neutral_pose(a);
  const Status closed = assemble(a, q);
  REQUIRE_MESSAGE(closed.ok(), closed.message());
  VecX same = expand_pose(a, q, b);
  Assembler assembler;
  assembler.prepare(b);
  CHECK(assembler.error(same.data()) < 1e-10);
}

const char* const kEveryJoint = R"({"name": "every", "links": ["base",
    {"name": "a", "mass": 2, "center": [0.1, 0, 0.2], "inertia": [0.1, 0.2, 0.15, 0.01, 0.02, -0.01],
     "visuals": [{"geometry": {"type": "box", "size": [1, 2, 3]}, "origin": {"xyz": [1, 0, 0], "rpy": [0.1, 0.2, 0.3]}, "color": [1, 0, 0, 1]}]},
    {"name": "b", "mass": 1, "visuals": [{"geometry": {"type": "sphere", "radius": 0.5}, "scale": [1, 2, 3]}]},
    {"name": "c", "visuals": [{"geometry": {"type": "mesh", "uri": "meshes/c.stl"}, "scale": [0.001, 0.001, -0.001], "collision": true}]},
    "d", "e", "f", "g", "h", "i", "tool"],
  "joints": [
    {"name": "j1", "type": "revolute", "parent": "base", "child": "a", "axis": [0, 1, 1], "origin": {"xyz": [0.1, 0.2, 0.3], "rpy": [1, -1, 2]}, "limits": {"lower": -1, "upper": 2, "velocity": 3, "effort": 40}},
    {"name": "j2", "type": "prismatic", "parent": "a", "child": "b", "axis": [1, 0, 0], "limits": {"lower": -0.5, "upper": null}},
    {"name": "j3", "type": "spherical", "parent": "b", "child": "c", "origin": {"xyz": [0, 0, 1]}},
    {"name": "j4", "type": "universal", "parent": "c", "child": "d", "origin": {"xyz": [0, 0.5, 0], "rpy": [0, 0.5, 0]}},
    {"name": "j5", "type": "helical", "parent": "d", "child": "e", "axis": [0, 0, 1], "pitch": 0.3},
    {"name": "j6", "type": "cylindrical", "parent": "e", "child": "f", "axis": [1, 1, 0]},
    {"name": "j7", "type": "planar", "parent": "f", "child": "g", "normal": [0, 1, 0], "x_axis": [0, 0, 1]},
    {"name": "j8", "type": "continuous", "parent": "g", "child": "h", "axis": [0, 0, -1]},
    {"name": "j9", "type": "revolute", "parent": "h", "child": "i", "axis": [1, 0, 0], "mimic": {"joint": "j1", "multiplier": -2, "offset": 0.1}},
    {"name": "tool_frame", "type": "fixed", "parent": "i", "child": "tool", "origin": {"xyz": [0, 0, 0.2], "rpy": [0, 1, 0]}}]})";

const char* const kFourBar = R"({"name": "four_bar", "links": ["ground", "crank", "coupler", "rocker"], "joints": [
    {"name": "crank", "type": "revolute", "parent": "ground", "child": "crank", "origin": {"rpy": [0, 0, 1]}},
    {"name": "coupler", "type": "revolute", "parent": "crank", "child": "coupler", "origin": {"xyz": [1, 0, 0], "rpy": [0, 0, -0.8]}},
    {"name": "rocker", "type": "revolute", "parent": "ground", "child": "rocker", "origin": {"xyz": [4, 0, 0], "rpy": [0, 0, 1.2]}}],
  "closures": [{"name": "pin", "type": "TYPE", "a": {"link": "coupler", "origin": [4, 0, 0]}, "b": {"link": "rocker", "origin": [3, 0, 0]}}],
  "drives": ["crank"]})";

}  // namespace

TEST_CASE("robot files: every joint type, shape and mass through MJCF, SDF and URDF") {
  const Document document = must_read_robot(kEveryJoint, "x.json");
  const Model model = must_compile_robot(document);
  for (const char* format : {"mjcf", "sdf", "urdf"}) {
    INFO(std::string(format));
    const Document once = written_and_read(document, format);
    const Model again = must_compile_robot(once);
    int missing = 0;
    CHECK(frames_apart(model, again, missing) < 1e-12);
    CHECK(missing == 0);
    check_same_mass(document, once);
    check_same_limits(document, once);
    // A second time: nothing changes any more.
    const Document twice = written_and_read(once, format);
    CHECK(frames_apart(again, must_compile_robot(twice), missing) < 1e-12);
    CHECK(missing == 0);
    CHECK(twice.linkage.links.size() == once.linkage.links.size());
    CHECK(twice.linkage.joints.size() == once.linkage.joints.size());
    CHECK(once.linkage.find_joint("j1")->limits.effort == std::vector<double>{40.0});
    const Visual& box = once.linkage.find_link("a")->visuals.at(0);
    CHECK((box.X_LG - document.linkage.find_link("a")->visuals[0].X_LG).cwiseAbs().maxCoeff() < 1e-15);
    CHECK(box.color->at(0) == 1.0);
    const Visual& mesh = once.linkage.find_link("c")->visuals.at(0);
    CHECK(mesh.collision);
    CHECK((mesh.X_LG - document.linkage.find_link("c")->visuals[0].X_LG).cwiseAbs().maxCoeff() < 1e-15);
  }
}

TEST_CASE("robot files: loops of every kind through MJCF, and those SDF has through SDF") {
  int closed = 0;
  for (const char* type :
       {"revolute", "spherical", "fixed", "cylindrical", "planar", "universal", "prismatic", "rod"}) {
    std::string text = kFourBar;
    text.replace(text.find("TYPE"), 4, type);
    if (type == std::string("rod")) text.replace(text.find("\"a\""), 0, "\"length\": 0.5, ");
    const Document document = must_read_robot(text, "x.json");
    const Result<Model> model = compile(document.linkage);
    if (!model.ok()) continue;  // says that such a loop can never close
    VecX q = neutral_pose(*model);
    if (!assemble(*model, q).ok()) continue;
    INFO(std::string(type));
    ++closed;
    const Document mjcf = written_and_read(document, "mjcf");
    const Model again = must_compile_robot(mjcf);
    CHECK(!again.closures().empty());
    int missing = 0;
    CHECK(frames_apart(*model, again, missing) < 1e-12);
    VecX there = expand_pose(*model, q, again);
    Assembler assembler;
    assembler.prepare(again);
    CHECK(assemble(again, there, {"crank", "coupler", "rocker"}).ok());  // only what MJCF added may move
    CHECK(assembler.error(there.data()) < 1e-9);
  }
  CHECK(closed >= 5);
  std::string text = kFourBar;
  text.replace(text.find("TYPE"), 4, "revolute");
  std::vector<std::string> notes;
  const Document document = must_read_robot(text, "x.json");
  const Document sdf = written_and_read(document, "sdf", &notes);
  REQUIRE(sdf.linkage.closures.size() == 1);
  CHECK(std::holds_alternative<Revolute>(std::get<JointType>(sdf.linkage.closures[0].type)));
  const Model again = must_compile_robot(sdf);
  Assembler assembler;
  assembler.prepare(again);
  VecX q = neutral_pose(again);
  CHECK(assembler.error(q.data()) < 1e-10);  // it stands closed in the file
}

TEST_CASE("robot files: built-in models go through MJCF and SDF with their frames") {
  for (const BuiltinModel& builtin : builtin_models()) {
    const Document document = must_read_robot(std::string(builtin.json), "x.json");
    const Model model = must_compile_robot(document);
    for (const char* format : {"mjcf", "sdf"}) {
      INFO(document.linkage.name, " as ", std::string(format));
      const Document once = written_and_read(document, format);
      const Model again = must_compile_robot(once);
      int missing = 0;
      // SDF counts the joints of loops from elsewhere; a linear coupling comes back from MJCF as a mimic, which owns no
      // coordinate.
      const bool shifted = std::string(format) == "sdf" && !document.linkage.closures.empty();
      if (!shifted && again.q_size() >= model.q_size()) CHECK(frames_apart(model, again, missing) < 1e-12);
    }
  }
}

TEST_CASE("robot files: the shared URDF robots keep frames and masses in URDF, MJCF and SDF") {
  const auto folder = test::shared_data("urdf");
  if (!folder) return;
  int robots = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder)) {
    if (entry.path().extension() != ".urdf") continue;
    const Document document = must_read_robot(test::read_file(entry.path()), entry.path().filename().string());
    const Model model = must_compile_robot(document);
    ++robots;
    for (const char* format : {"urdf", "mjcf", "sdf"}) {
      INFO(entry.path().filename().string(), " as ", std::string(format));
      const Document once = written_and_read(document, format);
      int missing = 0;
      CHECK(frames_apart(model, must_compile_robot(once), missing) < 1e-12);
      check_same_mass(document, once);
      check_same_limits(document, once);
    }
  }
  CHECK(robots > 0);
}

TEST_CASE("robot files: the shared MJCF robots keep frames, masses, limits and loops") {
  const auto folder = test::shared_data("mjcf");
  if (!folder) return;
  int robots = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().extension() != ".xml") continue;
    const Document document = must_read_robot(test::read_file(entry.path()), entry.path().filename().string());
    const Model model = must_compile_robot(document);
    ++robots;
    for (const char* format : {"mjcf", "sdf"}) {
      INFO(entry.path().filename().string(), " as ", std::string(format));
      const bool shifted = std::string(format) == "sdf" && !document.linkage.closures.empty();
      const Document once = written_and_read(document, format);
      const Model again = must_compile_robot(once);
      int missing = 0;
      const double apart = frames_apart(model, again, missing);
      if (shifted) continue;  // loops stand closed in SDF, and joints count from there
      check_same_mass(document, once);
      CHECK(apart < 1e-12);
      if (std::string(format) == "mjcf") {
        CHECK(missing == 0);
        CHECK(again.q_size() == model.q_size());
        CHECK(once.linkage.closures.size() == document.linkage.closures.size());
        CHECK(once.linkage.poses.size() == document.linkage.poses.size());
        for (std::size_t p = 0; p < document.linkage.poses.size(); ++p) {
          const VecX before = *model.find_pose(document.linkage.poses[p].name);
          CHECK((*again.find_pose(once.linkage.poses[p].name) - before).cwiseAbs().maxCoeff() < 1e-12);
        }
      }
      check_same_limits(document, once);
      check_same_loops(model, again);
    }
  }
  CHECK(robots > 0);
}
