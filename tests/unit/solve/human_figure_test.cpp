// The whole human figure: poses of both hands and feet, a look-at and a posture. bench/human_bench.cpp times the same.
#include <doctest/doctest.h>

#include "armature/base/rng.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/methods/fabrik.hpp"
#include "armature/solve/methods/reach.hpp"

using namespace armature;

namespace {

Model human_figure() {
  for (const BuiltinModel& model : builtin_models()) {
    if (model.name == "human") return compile(read_document(model.json, {})->linkage).value();
  }
  FAIL("there is no built-in model 'human'");
  return {};
}

const char* const kEnds[] = {"left_hand", "right_hand", "left_foot", "right_foot"};

Problem figure_goals(const Model& model, const State& state, const VecX& rest) {
  Problem problem;
  problem.model = model;
  for (const char* name : kEnds) {
    PoseGoal goal;
    goal.link = model.link(name);
    goal.target = state.transform(goal.link);
    problem.goals.emplace_back(goal);
  }
  AimGoal aim;
  aim.link = model.link("head");
  aim.target = state.transform(aim.link) * Vec3(2.0, 0.0, 0.0);
  problem.goals.emplace_back(aim);
  PostureGoal posture;
  posture.target = rest;
  problem.goals.emplace_back(posture);
  return problem;
}

VecX figure_pose(const Model& model, const VecX& rest, Rng& rng) {
  VecX v(model.v_size());
  for (int i = 0; i < v.size(); ++i) v[i] = rng.uniform(-0.5, 0.5) * (i < 6 ? 0.33 : 1.0);
  VecX q = integrate(model, rest, v);
  clamp(model, q);
  return q;
}

}  // namespace

TEST_CASE("human figure: 600 random sets of goals are all reached from rest, and frames follow in few steps") {
  const Model model = human_figure();
  const VecX rest = model.find_pose("rest").value();
  Reach reach;
  reach.settings.tolerance = 1e-6;
  reach.settings.orientation_tolerance = 1e-6;
  Rng rng(7);
  State wanted, reached;
  const auto check = [&](const VecX& q, const Report& report) {
    forward(model, q, reached);
    double worst = 0.0;
    for (const char* name : kEnds) {
      const auto link = static_cast<std::size_t>(model.link(name));
      worst = std::max(worst, (reached.X_WL[link].position - wanted.X_WL[link].position).norm());
      worst = std::max(worst, (reached.X_WL[link].rotation - wanted.X_WL[link].rotation).norm() / 1.5);
    }
    return report.ok() && worst < 1.01e-6 && inside_limits(model, q);
  };
  int good = 0;
  long steps = 0;
  for (int i = 0; i < 600; ++i) {
    forward(model, figure_pose(model, rest, rng), wanted);
    const Problem problem = figure_goals(model, wanted, rest);
    VecX q = rest;
    const Report& report = reach.solve(problem, q);
    q = report.q;
    good += check(q, report);
    steps += report.iterations;
  }
  CHECK(good == 600);
  CHECK(steps < 600 * 7);  // 6.25 each when this was written

  good = 0;
  steps = 0;
  VecX from = rest;
  VecX q = rest;
  for (int key = 0; key < 10; ++key) {  // half a second from pose to pose, 60 frames a second
    const VecX to = figure_pose(model, rest, rng);
    for (int frame = 1; frame <= 30; ++frame) {
      const double t = frame / 30.0;
      forward(model, interpolate(model, from, to, t * t * (3.0 - 2.0 * t)), wanted);
      const Problem problem = figure_goals(model, wanted, rest);
      const Report& report = reach.solve(problem, q);
      q = report.q;
      good += check(q, report);
      steps += report.iterations;
    }
    from = to;
  }
  CHECK(good == 300);
  CHECK(steps < 300 * 4);  // 2.98 each
}

TEST_CASE("human figure: fabrik reaches what an arm can reach, hinges, cones and limits included") {
  const Model model = human_figure();
  const VecX rest = model.find_pose("rest").value();
  Fabrik fabrik;
  Rng rng(11);
  int reached = 0;
  constexpr int kGoals = 100;
  for (int k = 0; k < kGoals; ++k) {
    VecX v = VecX::Zero(model.v_size());
    Problem problem;
    problem.model = model;
    for (const ModelJoint& joint : model.joints()) {
      if (joint.mimic || joint.v_count == 0) continue;
      const bool arm = joint.name == "left_sternoclavicular" || joint.name == "left_shoulder" ||
                       joint.name == "left_elbow" || joint.name == "left_wrist";
      if (!arm) problem.locked.emplace_back(joint.name);
      for (int i = 0; arm && i < joint.v_count; ++i) v[joint.v_index + i] = rng.uniform(-1.5, 1.5);
    }
    VecX pose = integrate(model, rest, v);
    clamp(model, pose);
    State state;
    forward(model, pose, state);
    problem.goals.emplace_back(
        PositionGoal{.link = "left_hand", .target = state.transform(model.link("left_hand")).position});
    reached += fabrik.solve(problem, rest).ok() ? 1 : 0;
  }
  MESSAGE(reached << " of " << kGoals << " reached");
  CHECK(reached >= 80);  // many of these poses lie at limits; none was reached by pulling alone
}
