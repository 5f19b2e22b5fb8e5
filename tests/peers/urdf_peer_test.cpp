// What we write as URDF, read by others: check_urdf accepts it, and KDL and DART put every link where we do.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <dart/dynamics/dynamics.hpp>
#include <dart/utils/urdf/DartLoader.hpp>
#include <filesystem>
#include <fstream>
#include <kdl/frames.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl_parser/kdl_parser.hpp>

#include "armature/base/rng.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "support/data.hpp"

using namespace armature;

namespace {

Document read(const std::string& text, const std::string& name) {
  ReadOptions options;
  options.file_name = name;
  Result<Document> document = read_document(text, options);
  REQUIRE_MESSAGE(document.ok(), document.message());
  return std::move(document).value();
}

std::string convert(const Document& document, const char* file) {
  const Result<std::string> text = write_document(document, **format_for_writing(file), {});
  REQUIRE_MESSAGE(text.ok(), text.message());
  return *text;
}

// Through our own format and back to URDF, without the shapes: the peers would look for mesh files.
std::string as_written(Document document) {
  document.linkage.geometries.clear();
  for (Link& link : document.linkage.links) link.visuals.clear();
  return convert(read(convert(document, "x.json"), "x.json"), "x.urdf");
}

struct Deviation {
  double kdl = 0.0;
  double dart = 0.0;
  int dart_links = 0;
};

// Largest difference of any link's frame over a few random poses. The written file is what both sides read.
Deviation compare(const std::string& urdf, const std::string& name, bool with_dart) {
  const Document document = read(urdf, name + ".urdf");
  const Result<Model> model = compile(document.linkage);
  REQUIRE_MESSAGE(model.ok(), model.message());
  KDL::Tree tree;
  REQUIRE_MESSAGE(kdl_parser::treeFromString(urdf, tree), name);
  dart::dynamics::SkeletonPtr skeleton;
  if (with_dart) {
    dart::utils::DartLoader loader;
    skeleton = loader.parseSkeletonString(urdf, "");
    REQUIRE_MESSAGE(skeleton != nullptr, name);
  }
  // KDL and DART measure from the root link.
  Deviation worst;
  Rng rng(11);
  State state;
  for (int n = 0; n < 5; ++n) {
    const VecX q = random_pose(*model, rng);
    forward(*model, q, state);
    KDL::JntArray joints(tree.getNrOfJoints());
    for (int i = 0; i < model->link_count(); ++i) {
      const ModelJoint& joint = model->joint(i);
      if (joint.q_count != 1) continue;
      const double value = joint.multiplier * q[joint.q_index] + joint.offset;
      const auto segment = tree.getSegment(model->link_name(i));
      REQUIRE_MESSAGE(segment != tree.getSegments().end(), name << " " << model->link_name(i));
      joints(GetTreeElementQNr(segment->second)) = value;
      if (skeleton != nullptr) {
        if (auto* j = skeleton->getJoint(joint.name); j != nullptr && j->getNumDofs() == 1) j->setPosition(0, value);
      }
    }
    KDL::TreeFkSolverPos_recursive solver(tree);
    const Transform& X_WR = state.X_WL[0];
    for (int i = 0; i < model->link_count(); ++i) {
      const Mat4 ours = (X_WR.inverse() * state.X_WL[static_cast<std::size_t>(i)]).matrix();
      KDL::Frame frame;
      REQUIRE(solver.JntToCart(joints, frame, model->link_name(i)) >= 0);
      Mat4 theirs = Mat4::Identity();
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) theirs(r, c) = frame.M(r, c);
        theirs(r, 3) = frame.p(r);
      }
      worst.kdl = std::max(worst.kdl, (ours - theirs).cwiseAbs().maxCoeff());
      if (skeleton == nullptr) continue;
      const auto* root = skeleton->getBodyNode(model->link_name(0));
      const auto* body = skeleton->getBodyNode(model->link_name(i));
      if (root == nullptr || body == nullptr) continue;  // DART drops a root link called "world"
      ++worst.dart_links;
      const Mat4 dart = body->getTransform(root).matrix();
      worst.dart = std::max(worst.dart, (ours - dart).cwiseAbs().maxCoeff());
    }
  }
  return worst;
}

// Only joints that all sides know, so that the comparison covers every link.
bool plain(const Linkage& linkage) {
  return std::all_of(linkage.joints.begin(), linkage.joints.end(), [](const Joint& joint) {
    return coordinate_count(joint.type) <= 1 && !std::holds_alternative<Helical>(joint.type);
  });
}

int check_urdf(const std::string& urdf) {
  const auto path = std::filesystem::temp_directory_path() / ("armature_peer_" + std::to_string(getpid()) + ".urdf");
  std::ofstream(path) << urdf;
  const int code = std::system(("check_urdf '" + path.string() + "' > /dev/null 2>&1").c_str());
  std::filesystem::remove(path);
  return code;
}

}  // namespace

TEST_CASE("every real robot: read, to our own format, back to URDF: check_urdf, KDL and DART agree with us") {
  const auto folder = test::shared_data("urdf");
  if (!folder) return;
  const bool has_check = std::system("command -v check_urdf > /dev/null 2>&1") == 0;
  if (!has_check) std::printf("SKIPPED: check_urdf is not installed\n");
  double kdl = 0.0;
  double dart = 0.0;
  int robots = 0;
  int dart_links = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().extension() != ".urdf") continue;
    const std::string name = entry.path().stem().string();
    const Document document = read(test::read_file(entry.path()), name + ".urdf");
    const std::string urdf = as_written(document);
    if (has_check) {
      CHECK_MESSAGE(check_urdf(urdf) == 0, name);
      CHECK_MESSAGE(check_urdf(convert(document, "x.urdf")) == 0, name << " with its shapes");
    }
    if (!plain(document.linkage)) continue;
    const Deviation worst = compare(urdf, name, true);
    CHECK_MESSAGE(worst.kdl < 1e-12, name << " KDL " << worst.kdl);
    CHECK_MESSAGE(worst.dart < 1e-12, name << " DART " << worst.dart);
    kdl = std::max(kdl, worst.kdl);
    dart = std::max(dart, worst.dart);
    dart_links += worst.dart_links;
    ++robots;
  }
  CHECK(robots > 30);
  CHECK(dart_links > 100 * robots);  // 5 poses of some 27 links
  MESSAGE(robots << " robots, largest difference from KDL " << kdl << ", from DART " << dart);
}

TEST_CASE("every built-in model, written as URDF: check_urdf accepts it, and KDL agrees with us") {
  const bool has_check = std::system("command -v check_urdf > /dev/null 2>&1") == 0;
  for (const BuiltinModel& model : builtin_models()) {
    const std::string name(model.name);
    const Document document = read(std::string(model.json), name + ".json");
    const std::string urdf = convert(document, "x.urdf");
    if (has_check) CHECK_MESSAGE(check_urdf(urdf) == 0, name);
    if (!plain(read(urdf, "x.urdf").linkage)) continue;
    const Deviation worst = compare(urdf, name, false);
    CHECK_MESSAGE(worst.kdl < 1e-12, name << " KDL " << worst.kdl);
  }
}
