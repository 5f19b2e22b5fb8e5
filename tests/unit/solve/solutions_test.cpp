// All answers inside limits, and the method that returns the nearest of them.
#include "armature/solve/solutions.hpp"

#include <doctest/doctest.h>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/solve/methods/analytic.hpp"
#include "armature/solve/registry.hpp"
#include "support/allocation_counter.hpp"
#include "support/analytic_arms.hpp"
#include "support/solve_in_place.hpp"

using namespace armature;

namespace {

Model builtin(std::string_view name) {
  for (const BuiltinModel& entry : builtin_models()) {
    if (entry.name == name) return test::compiled(read_document(entry.json, {})->linkage);
  }
  FAIL("no such model");
  return {};
}

PoseGoal goal_at(const Model& model, int link, const VecX& q) {
  State state;
  forward(model, q, state);
  PoseGoal goal;
  goal.link = link;
  goal.target = state.X_WL[static_cast<std::size_t>(link)];
  return goal;
}

double error_at(const Model& model, const PoseGoal& goal, const VecX& q) {
  State state;
  forward(model, q, state);
  const Transform& X = state.transform(goal.link);
  return std::max((X.translation - goal.target.translation).norm(), (X.rotation - goal.target.rotation).norm());
}

/// A spherical-wrist arm whose joints may turn by `limit` either way.
Model limited_arm(double limit) {
  const std::vector<test::Axis> axes = {
      {{0, 0, 1}, {0, 0, 0}, false, limit},     {{0, 1, 0}, {0.1, 0, 0.4}, false, limit},
      {{0, 1, 0}, {0.1, 0, 0.9}, false, limit}, {{1, 0, 0}, {0.5, 0, 1.0}, false, limit},
      {{0, 1, 0}, {0.6, 0, 1.0}, false, limit}, {{1, 0, 0}, {0.7, 0, 1.0}, false, limit}};
  return test::compiled(test::arm_of_axes(axes, Transform::translate(Vec3(0.8, 0, 1.0))));
}

}  // namespace

TEST_CASE("solutions: the eight poses of a UR5, told apart, sorted by distance to the start") {
  const Model ur5 = builtin("ur5");
  const int tip = ur5.link("tool0");
  VecX q = VecX::Zero(ur5.q_size());
  q.head<6>() << 0.3, -1.2, 1.4, -0.8, 0.9, 0.2;
  const PoseGoal goal = goal_at(ur5, tip, q);
  SolutionsOptions options;
  options.within_limits = false;
  options.start = q;
  const Result<Solutions> all = solutions(ur5, goal, options);
  REQUIRE_MESSAGE(all.ok(), all.message());
  CHECK(all->count() == 8);
  CHECK(all->complete);
  CHECK(all->note.empty());
  CHECK(all->singular_joints.empty());
  for (int k = 0; k < all->count(); ++k) {
    CHECK(error_at(ur5, goal, all->q.col(k)) < 1e-10);
    CHECK(all->residuals[k] < 1e-10);
    for (int i = 0; i < k; ++i) CHECK(test::pose_distance(ur5, all->q.col(k), all->q.col(i)) > 1e-3);
  }
  options.within_limits = true;
  const Solutions inside = solutions(ur5, goal, options).value();
  CHECK((inside.q.col(0) - q).norm() < 1e-9);
  double before = 0.0;
  for (int k = 0; k < inside.count(); ++k) {
    const VecX pose = inside.q.col(k);
    CHECK(inside_limits(ur5, pose));
    CHECK(error_at(ur5, goal, pose) < 1e-10);
    CHECK((pose - q).norm() >= before - 1e-12);
    before = (pose - q).norm();
  }
}

TEST_CASE("solutions: every full turn inside the limits, and a word when the list is cut") {
  Rng rng(3);
  const Model wide = limited_arm(2.0 * kPi), narrow = limited_arm(kPi);
  const int tip = wide.link("tip");
  VecX q(6);
  q << 0.4, 0.3, 0.8, 0.5, 0.7, -0.3;
  const PoseGoal goal = goal_at(wide, tip, q);
  SolutionsOptions options;
  options.start = VecX::Zero(6);
  const Solutions few = solutions(narrow, goal, options).value();
  CHECK(few.count() == 8);
  CHECK(few.complete);
  options.max_count = 256;
  const Solutions many = solutions(wide, goal, options).value();
  CHECK(many.count() == 256);  // 8 answers, 2 turns of each of 6 joints: 512
  CHECK(!many.complete);
  CHECK(many.note.find("256") != std::string::npos);
  options.max_count = 5;
  const Solutions five = solutions(wide, goal, options).value();
  CHECK(five.count() == 5);
  for (int k = 0; k < 5; ++k) CHECK((five.q.col(k) - many.q.col(k)).norm() == 0.0);
  // Limits that leave one joint a quarter of its circle leave fewer poses, all of them inside.
  options.max_count = 256;
  options.lower = VecX::Constant(6, -kPi);
  options.upper = VecX::Constant(6, kPi);
  options.lower[2] = 0.0;
  const Solutions some = solutions(narrow, goal, options).value();
  CHECK(some.count() < 8);
  CHECK(some.count() > 0);
  for (int k = 0; k < some.count(); ++k) CHECK(some.q(2, k) >= 0.0);
}

TEST_CASE("solutions: goals that analysis cannot take are refused with a sentence") {
  const Model ur5 = builtin("ur5");
  PoseGoal goal;
  goal.link = ur5.link("tool0");
  goal.position_axes.free[0] = true;
  CHECK(!solutions(ur5, goal).ok());
  goal.position_axes.free[0] = false;
  goal.orientation_axes.free[2] = true;
  CHECK(solutions(ur5, goal).message().find("own axes") != std::string::npos);
  goal.orientation_axes.frame = AxesFrame::target;
  CHECK(solutions(ur5, goal).message().find("one freedom more") != std::string::npos);
  PositionGoal position;
  position.link = goal.link;
  CHECK(solutions(ur5, position).message().find("three joints") != std::string::npos);
}

TEST_CASE("analytic: the nearest answer inside limits, without an allocation after the first solve") {
  const Model model = limited_arm(2.5);
  const int tip = model.link("tip");
  Analytic solver;
  Rng rng(8);
  Problem problem;
  problem.model = model;
  problem.goals.resize(1);
  for (int n = 0; n < 60; ++n) {
    const VecX there = random_pose(model, rng), start = random_pose(model, rng);
    problem.goals[0] = goal_at(model, tip, there);
    VecX q = start;
    test::AllocationCounter counter;
    const Report& report = solver.solve(problem, q);
    q = report.q;
    if (n > 0) CHECK(counter.count() == 0);
    CHECK(report.ok());
    CHECK(inside_limits(model, q));
    SolutionsOptions options;
    options.start = start;
    const Solutions all = solutions(model, std::get<PoseGoal>(problem.goals[0]), options).value();
    REQUIRE(all.count() > 0);
    CHECK((all.q.col(0) - q).norm() < 1e-12);
    CHECK((q - start).norm() <= (there - start).norm() + 1e-9);
  }
}

TEST_CASE("analytic: unreachable inside limits is proved, and never of what can be reached") {
  const Model model = limited_arm(1.2);
  const int tip = model.link("tip");
  Analytic solver;
  Rng rng(18);
  Problem problem;
  problem.model = model;
  problem.goals.resize(1);
  int proved = 0;
  for (int n = 0; n < 400; ++n) {
    // Reachable: a pose inside limits, often at a limit.
    VecX there = random_pose(model, rng);
    for (int i = 0; i < 6; ++i) {
      if (rng.uniform() < 0.2) there[i] = rng.uniform() < 0.5 ? -1.2 : 1.2;
    }
    problem.goals[0] = goal_at(model, tip, there);
    VecX q = VecX::Zero(6);
    CHECK(test::solve_in_place(solver, problem, q).outcome != Outcome::unreachable);
    // Any pose of the arm without limits: where all answers lie outside, that is proved.
    VecX free(6);
    for (int i = 0; i < 6; ++i) free[i] = rng.uniform(-kPi, kPi);
    problem.goals[0] = goal_at(model, tip, free);
    q.setZero();
    const Report& report = solver.solve(problem, q);
    q = report.q;
    if (report.outcome == Outcome::unreachable) {
      ++proved;
      CHECK(report.bound == ReachBound::no_solution);
      CHECK(report.message().find("No pose inside the limits") != std::string::npos);
    }
    CHECK(inside_limits(model, q));
  }
  CHECK(proved > 200);
}

TEST_CASE("analytic: joints that are locked, several goals, goals of other kinds are refused") {
  const Model model = limited_arm(2.5);
  Analytic solver;
  Problem problem;
  problem.model = model;
  PoseGoal goal;
  goal.link = model.link("tip");
  problem.goals.emplace_back(goal);
  CHECK(solver.check(problem).ok());
  problem.locked = {model.velocity_joint(2)};
  CHECK(solver.check(problem).message().find("locked") != std::string::npos);
  problem.locked.clear();
  problem.goals.emplace_back(goal);
  CHECK(solver.check(problem).message().find("one goal") != std::string::npos);
  AimGoal aim;
  aim.link = goal.link;
  problem.goals.assign(1, aim);
  CHECK(solver.check(problem).message().find("not 'aim'") != std::string::npos);
}
