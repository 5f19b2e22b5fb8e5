// Joint coordinates of a limb over a clip: coupled joints, narrowed hinges, and one valley for all frames.
#include "armature/motion/limb_fit.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

// Two bones of length 1 in the plane across y, hanging down from a hinge each.
Linkage two_bones() {
  Linkage l;
  l.name = "two bones";
  for (const char* name : {"base", "upper", "lower", "end"}) l.links.push_back({name, {}});
  const Revolute hinge{.axis = Vec3::UnitY()};
  l.joints.push_back(test::joint("hip", hinge, "base", "upper", {}));
  l.joints.push_back(test::joint("knee", hinge, "upper", "lower", Transform::translate(Vec3(0, 0, -1))));
  l.joints.push_back(test::joint("tip", Fixed{}, "lower", "end", Transform::translate(Vec3(0, 0, -1))));
  return l;
}

LimbGoal place_goal(const Model& model, const char* link, const std::vector<Vec3>& targets) {
  LimbGoal goal;
  goal.link = model.link(link);
  goal.target = targets;
  goal.weight.assign(targets.size(), Vec3::Ones());
  return goal;
}

}  // namespace

TEST_CASE("a hinge that is narrowed stays there, also without limits") {
  const Model model = test::compiled(two_bones());
  const std::vector<Transform> hung(1);
  // The upper bone should hang straight down, the lower one lean by `turn`.
  for (const double turn : {-0.5, 0.5}) {
    for (const bool narrow : {false, true}) {
      LimbFit fit(model, model.link("base"), {model.link("end")}, false);
      if (narrow) fit.narrow(model.link("lower"), turn < 0.0 ? 0.0 : -INFINITY, turn < 0.0 ? INFINITY : 0.0);
      std::vector<LimbGoal> goals(2);
      for (LimbGoal& goal : goals) {
        goal.kind = LimbGoal::turn;
        goal.weight = {Vec3::Ones()};
      }
      goals[0].link = model.link("upper");
      goals[0].rotation = {Mat3::Identity()};
      goals[1].link = model.link("lower");
      goals[1].rotation = {exp_rotation(Vec3(0, turn, 0)).toRotationMatrix()};
      VecX q = neutral_pose(model);
      q[1] = 0.7 * turn;
      fit.start(q.data(), model.q_size(), &hung, 1);
      fit.solve(goals, 40);
      fit.finish(q.data(), model.q_size());
      CHECK(q[1] == doctest::Approx(narrow ? 0.0 : turn).epsilon(1e-4));
      CHECK(q[0] == doctest::Approx(narrow ? 0.5 * turn : 0.0).epsilon(1e-4));  // halves the error instead
    }
  }
}

TEST_CASE("a coupled joint of a limb stands where the joint that it follows puts it") {
  Linkage linkage = two_bones();
  linkage.links.push_back({"lever", {}});
  linkage.joints.push_back(test::joint("lever_joint", Revolute{.axis = Vec3::UnitY()}, "base", "lever", {}));
  linkage.find_joint("knee")->mimic = Mimic{"lever_joint", 2.0, 0.1};
  const Model model = test::compiled(linkage);
  VecX q = neutral_pose(model);
  q[model.joint(model.link("lever")).q_index] = 0.4;
  const std::vector<Transform> hung(1);
  LimbFit fit(model, model.link("base"), {model.link("end")}, true);
  fit.start(q.data(), model.q_size(), &hung, 1);
  const auto end = [&] { return forward(model, q).transform(model.link("end")).position; };
  CHECK((fit.place(0, model.link("end"), Vec3::Zero()) - end()).norm() < 1e-12);
  const Vec3 target = exp_rotation(Vec3(0, 0.7, 0)) * end();  // the hip alone can do it
  fit.solve({place_goal(model, "end", {target})}, 40);
  fit.finish(q.data(), model.q_size());
  CHECK((end() - target).norm() < 1e-6);
}

TEST_CASE("limbs that share a coupled joint are fitted together: neither decides for both") {
  // Two fingers on one lever each; the second lever follows the first, backwards.
  Linkage linkage;
  linkage.name = "fingers";
  linkage.links.push_back({"base", {}});
  const Revolute across{.axis = Vec3::UnitX()}, along{.axis = Vec3::UnitY()};
  for (const char* side : {"left", "right"}) {
    const std::string s = side;
    for (const char* part : {"_lever", "_bone", "_end"}) linkage.links.push_back({s + part, {}});
    linkage.joints.push_back(test::joint(s + "_turns", across, "base", s + "_lever", {}));
    const Transform down = Transform::translate(Vec3(0, 0, -1));
    linkage.joints.push_back(test::joint(s + "_bends", along, s + "_lever", s + "_bone", down));
    linkage.joints.push_back(test::joint(s + "_tip", Fixed{}, s + "_bone", s + "_end", down));
  }
  linkage.find_joint("right_turns")->mimic = Mimic{"left_turns", -0.5, 0.2};
  const Model model = test::compiled(linkage);
  VecX q = neutral_pose(model);
  q << 0.6, -0.3, 0.8;
  const auto end = [&](const char* link) { return forward(model, q).transform(model.link(link)).position; };
  const Vec3 left = end("left_end"), right = end("right_end");
  q.setZero();
  const std::vector<Transform> hung(1);
  LimbFit fit(model, model.link("base"), {model.link("left_end"), model.link("right_end")}, true);
  fit.start(q.data(), model.q_size(), &hung, 1);
  // The first alone is free to turn where it likes: only the second tells how far.
  LimbGoal sideways = place_goal(model, "left_end", {left});
  sideways.weight = {Vec3(1, 0, 0)};
  fit.solve({sideways, place_goal(model, "right_end", {right})}, 60);
  fit.finish(q.data(), model.q_size());
  CHECK((end("right_end") - right).norm() < 1e-6);
  CHECK((end("left_end") - left).norm() < 1e-6);
}

TEST_CASE("frames that start on either side of straight end in one valley") {
  const Model model = test::compiled(two_bones());
  const int frames = 20;
  const std::vector<Transform> hung(frames);
  std::vector<double> values;
  std::vector<Vec3> targets;
  for (int f = 0; f < frames; ++f) {
    values.insert(values.end(), {0.0, f % 3 == 0 ? -0.5 : 0.5});
    targets.emplace_back(0.02 * f, 0.0, -1.5);
  }
  const std::vector<LimbGoal> goals = {place_goal(model, "end", targets)};
  const auto jump = [&](LimbFit& fit) {
    fit.finish(values.data(), 2);
    double most = 0.0;
    for (int f = 1; f < frames; ++f) {
      most = std::max(
          most, std::abs(values[static_cast<std::size_t>(2 * f + 1)] - values[static_cast<std::size_t>(2 * f - 1)]));
    }
    return most;
  };
  LimbFit fit(model, model.link("base"), {model.link("end")}, false);
  fit.start(values.data(), 2, &hung, frames);
  fit.solve(goals, 40);
  CHECK(jump(fit) > 1.0);  // each by itself
  fit.start(values.data(), 2, &hung, frames);
  fit.search(goals, 40);
  CHECK(jump(fit) < 0.2);
  for (int f = 0; f < frames; ++f) {
    CHECK((fit.place(f, model.link("end"), Vec3::Zero()) - targets[static_cast<std::size_t>(f)]).norm() < 1e-5);
  }
}
