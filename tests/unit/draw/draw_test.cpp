// Pictures of poses and motions: what is in them, the same bytes every time, and a sentence for what cannot be drawn.
#include "armature/draw/draw.hpp"

#include <doctest/doctest.h>

#include "armature/draw/figure.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/scene/load.hpp"

using namespace armature;

namespace {

Model load(const char* name) { return compile(load_document(name).value().linkage).value(); }

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string text_of(const Result<Svg>& svg) {
  REQUIRE_MESSAGE(svg.ok(), svg.message());
  const std::string text = svg->str();
  CHECK(text.find("nan") == std::string::npos);
  CHECK(text.find("inf") == std::string::npos);
  return text;
}

Clip walk(const Model& model, int frames) {
  Clip clip;
  clip.q_size = model.q_size();
  for (int f = 0; f < frames; ++f) {
    VecX q = start_pose(model);
    q[0] += 0.05 * f;
    clip.append(q);
  }
  return clip;
}

}  // namespace

TEST_CASE("a pose is drawn with its goals, the same every time") {
  const Model arm = load("planar_arm");
  const VecX q = arm.pose("chapter");
  const std::string plain = text_of(draw(arm, q));
  CHECK(plain == text_of(draw(arm, q)));
  CHECK(count(plain, "#b3261e") == 0);
  DrawOptions options;
  options.goals = {{-20, 5, 0}};
  options.labels = true;
  const std::string marked = text_of(draw(arm, q, options));
  CHECK(count(marked, "#b3261e") > 0);  // the color of goals
  CHECK(marked.find("joint2") != std::string::npos);
}

TEST_CASE("a report is drawn with the places that its goals name") {
  const Model human = load("human");
  Problem problem;
  problem.model = human;
  problem.goals = {
      PositionGoal{.link = "left_hand", .target = {0.3, 0.2, 1.1}}, AimGoal{.link = "head", .target = {2, 0, 1}},
      PoseGoal{.link = "right_hand", .target = Transform::translate({0, 0, 0.3}), .base = "head"}, PostureGoal{}};
  const VecX q = start_pose(human);
  const std::string text = text_of(draw(problem, q));
  const std::string none = text_of(draw(human, q));
  DrawOptions one;
  one.goals = {{0.3, 0.2, 1.1}};
  const int each = count(text_of(draw(human, q, one)), "#b3261e") - count(none, "#b3261e");
  CHECK(count(text, "#b3261e") - count(none, "#b3261e") == 3 * each);
}

TEST_CASE("a motion is a strip or onion skins, with trails") {
  const Model panda = load("panda");
  const Clip clip = walk(panda, 30);
  DrawOptions options;
  options.strip = 5;
  options.trail = {LinkPoint{"panda_tcp"}};
  const std::string strip = text_of(draw(panda, clip, options));
  CHECK(count(strip, "frame ") == 5);
  CHECK(strip.find("frame 29, 0.97 s") != std::string::npos);
  CHECK(drawn_frames(options, 30).value() == std::vector<int>{0, 7, 15, 22, 29});
  options.strip = 1000000000;  // at most as many as there are
  CHECK(drawn_frames(options, 30).value().size() == 30);
  options.strip = 0;
  options.onion = 4;
  CHECK(count(text_of(draw(panda, clip, options)), "frame ") == 0);
  options.at = {3, 8};
  CHECK(drawn_frames(options, 30).value() == options.at);
}

TEST_CASE("captions of narrow panels leave out what would run into the next") {
  const Model human = load("human");
  const Clip clip = walk(human, 1200);
  DrawOptions options;
  options.at = {1050, 1199};
  options.columns = 2;
  for (const double size : {60.0, 120.0, 240.0}) {
    options.size = size;
    const std::string text = text_of(draw(human, clip, options));
    const std::size_t end = text.find("1199");
    const bool whole = text.find("frame 1199, ") != std::string::npos;
    REQUIRE(end != std::string::npos);
    CHECK(whole == (size == 240.0));
  }
}

TEST_CASE("a model most of whose meshes could not be read is drawn as sticks") {
  Linkage linkage;
  linkage.name = "half";
  linkage.geometries.push_back({"ball", Sphere{0.1}});
  linkage.geometries.push_back({"lost", MeshFile{"lost.stl"}});
  for (const char* link : {"a", "b", "c"}) {
    linkage.links.push_back({link, {}});
    Visual visual;
    visual.geometry = link[0] == 'a' ? "ball" : "lost";
    linkage.links.back().visuals.push_back(visual);
  }
  const auto hang = [&](const char* parent, const char* child) {
    Joint joint;
    joint.name = child;
    joint.type = Revolute{};
    joint.parent = parent;
    joint.child = child;
    joint.origin.position = Vec3(1, 0, 0);
    linkage.joints.push_back(joint);
  };
  hang("a", "b");
  hang("b", "c");
  const Model model = compile(linkage).value();
  CHECK_FALSE(drawing::has_shapes(model, {}));
  linkage.links.pop_back();
  linkage.joints.pop_back();
  CHECK(drawing::has_shapes(compile(linkage).value(), {}));
}

TEST_CASE("what cannot be drawn says why, and strange models are drawn") {
  const Model arm = load("planar_arm");
  const VecX q = start_pose(arm);
  const auto refused = [&](auto&& change, const char* part) {
    DrawOptions options;
    change(options);
    const Result<Svg> svg = draw(arm, walk(arm, 3), options);
    REQUIRE(!svg.ok());
    CHECK_MESSAGE(svg.message().find(part) != std::string::npos, svg.message());
  };
  refused([](DrawOptions& o) { o.view = "above"; }, "front");
  refused([](DrawOptions& o) { o.view = "10,90"; }, "elevation");
  refused([](DrawOptions& o) { o.style = "stick"; }, "did you mean 'sticks'");
  refused([](DrawOptions& o) { o.at = {3}; }, "0 to 2");
  refused([](DrawOptions& o) { o.strip = o.onion = 2; }, "not both");
  refused([](DrawOptions& o) { o.trail = {LinkPoint{"hand"}}; }, "hand");
  refused([](DrawOptions& o) { o.size = std::nan(""); }, "size");
  refused([](DrawOptions& o) { o.goals = {{0, std::nan(""), 0}}; }, "finite");
  CHECK(!draw(arm, Clip{}).ok());
  CHECK(!draw(arm, VecX(VecX::Zero(7))).ok());
  CHECK(!draw(arm, VecX(VecX::Constant(q.size(), std::nan("")))).ok());

  Linkage one;
  one.links = {{"alone", {}}};
  text_of(draw(compile(one).value(), VecX()));
  // A figure that stands far away: tiles of the floor could not be told apart.
  const Model human = load("human");
  for (const double far : {1e6, 1e12, 1e20, 1e90, 1e200}) {
    VecX away = neutral_pose(human);
    away[0] = far;
    const Result<Svg> svg = draw(human, away);
    if (svg) text_of(svg);
    CHECK(svg.ok() == (far < 1e100));
  }
}
