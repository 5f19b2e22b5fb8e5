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
  const Transform X = state.transform(goal.link);
  return std::max((X.position - goal.target.position).norm(), (X.rotation - goal.target.rotation).norm());
}

Limits between(double lower, double upper) {
  Limits limits;
  limits.lower = {lower};
  limits.upper = {upper};
  return limits;
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
  CHECK(all->message.find("these are all") != std::string::npos);
  CHECK(std::string(all->chain_class) == "P");
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
  CHECK(many.message.find("256 with full turns") != std::string::npos);
  CHECK(many.message.find("there are more") != std::string::npos);
  options.max_count = 5;
  const Solutions five = solutions(wide, goal, options).value();
  CHECK(five.count() == 5);
  for (int k = 0; k < 5; ++k) CHECK((five.q.col(k) - many.q.col(k)).norm() == 0.0);
  // Limits that leave one joint a quarter of its circle leave fewer poses, all of them inside.
  options.max_count = 256;
  Problem problem;
  problem.model = narrow;
  problem.goals.push_back(goal);
  problem.limits = {{JointRef(narrow.velocity_joint(2)), between(0.0, kPi)}};
  const Solutions some = solutions(problem, options).value();
  CHECK(some.count() < 8);
  CHECK(some.count() > 0);
  for (int k = 0; k < some.count(); ++k) CHECK(some.q(2, k) >= 0.0);
}

TEST_CASE("solutions: what analysis cannot take is searched for, and never called complete") {
  const Model ur5 = builtin("ur5");
  VecX q = VecX::Zero(ur5.q_size());
  q.head<6>() << 0.3, -1.2, 1.4, -0.8, 0.9, 0.2;
  PoseGoal goal = goal_at(ur5, ur5.link("tool0"), q);
  SolutionsOptions options;
  options.start = q;
  options.starts = 60;
  const auto found = [&](const Goal& g, const char* why) {
    const Solutions all = solutions(ur5, g, options).value();
    CHECK(all.count() > 0);
    CHECK(!all.complete);
    CHECK(std::string(all.chain_class).empty());
    CHECK_MESSAGE(all.message.find(why) != std::string::npos, all.message);
    CHECK((all.q.col(0) - q).norm() < 1e-6);  // the start reaches it
    for (int k = 0; k < all.count(); ++k) {
      CHECK(all.residuals[k] < 1e-8);
      CHECK(inside_limits(ur5, all.q.col(k)));
      for (int i = 0; i < k; ++i) CHECK(test::pose_distance(ur5, all.q.col(k), all.q.col(i)) > 1e-4);
    }
    return all;
  };
  goal.position_axes.free[0] = true;
  found(goal, "all three coordinates");
  goal.position_axes.free[0] = false;
  goal.orientation_axes.free[2] = true;
  found(goal, "one freedom more");
  PositionGoal position;
  position.link = goal.link;
  position.target = goal.target.position;
  found(position, "three joints");
  AimGoal aim;
  aim.link = goal.link;
  aim.direction = Vec3::UnitZ();
  aim.target = goal.target * Vec3(0, 0, 1);
  found(aim, "not 'aim'");
  // Two goals at once, which have no more answers than one of them.
  Problem both;
  both.model = ur5;
  goal.orientation_axes.free[2] = false;
  both.goals = {goal, position};
  const Solutions all = solutions(both, options).value();
  CHECK(all.message.find("several") != std::string::npos);
  options.within_limits = false;
  CHECK(all.count() <= solutions(ur5, goal, options).value().count());
  CHECK(all.count() >= 4);
  // Out of reach: link lengths prove that the empty list is complete.
  position.target = Vec3(9, 0, 0);
  const Solutions none = solutions(ur5, position, options).value();
  CHECK(none.count() == 0);
  CHECK(none.complete);
  // A problem that is none.
  position.link = 99;
  CHECK(!solutions(ur5, position, options).ok());
}

TEST_CASE("solutions: locked joints stay where the start has them, and the rest is analyzed without them") {
  const Model panda = builtin("panda");
  const int tip = panda.effectors().empty() ? panda.link_count() - 1 : panda.effectors()[0];
  Rng rng(4);
  Problem problem;
  problem.model = panda;
  int compared = 0;
  for (int n = 0; n < 5; ++n) {
    VecX q = random_pose(panda, rng);
    problem.goals = {goal_at(panda, tip, q)};
    SolutionsOptions options;
    options.start = q;
    problem.locked = {JointRef(panda.velocity_joint(6))};  // the last turn of the arm
    const Solutions all = solutions(problem, options).value();
    CHECK_MESSAGE(all.count() >= 1, all.message);
    if (all.count() == 0) continue;
    CHECK(test::pose_distance(panda, all.q.col(0), q) < 1e-7);
    for (int k = 0; k < all.count(); ++k) {
      CHECK(all.q(6, k) == q[6]);
      CHECK(all.residuals[k] < 1e-10);
    }
    // The method gives the same answer.
    Analytic solver;
    VecX from = q;
    from.head<6>() += VecX::Constant(6, 0.05);
    clamp(panda, from);
    const Report& report = test::solve_in_place(solver, problem, from);
    CHECK(report.ok());
    CHECK(from[6] == q[6]);
    ++compared;
  }
  CHECK(compared == 5);
}

TEST_CASE("solutions: a position leaves joints free that turn about the point, and they are named") {
  const Model arm = limited_arm(2.5);  // the last joint turns about a line through the tip
  VecX q(6);
  q << 0.4, 0.3, 0.8, 0.5, 0.7, -0.3;
  Problem problem;
  problem.model = arm;
  problem.locked = {JointRef(arm.velocity_joint(3)), JointRef(arm.velocity_joint(4))};
  PositionGoal position;
  position.link = "tip";
  position.target = goal_at(arm, arm.link("tip"), q).target.position;
  problem.goals = {position};
  SolutionsOptions options;
  options.start = q;
  const Solutions all = solutions(problem, options).value();
  CHECK_MESSAGE(std::string(all.chain_class) == "fewer", all.message);
  REQUIRE(all.count() > 0);
  CHECK(!all.complete);
  REQUIRE(all.singular_joints.size() == 1);
  CHECK(all.singular_joints[0] == 5);
  CHECK((all.q.col(0) - q).norm() < 1e-9);
  for (int k = 0; k < all.count(); ++k) CHECK(all.residuals[k] < 1e-10);
}

TEST_CASE("solutions: three joints that turn take an orientation in two ways") {
  const Model arm = limited_arm(2.5);
  VecX q(6);
  q << 0.4, 0.3, 0.8, 0.5, 0.7, -0.3;
  Problem problem;
  problem.model = arm;
  for (int v = 0; v < 3; ++v) problem.locked.emplace_back(arm.velocity_joint(v));
  OrientationGoal goal;
  goal.link = "tip";
  goal.target = Quat(goal_at(arm, arm.link("tip"), q).target.rotation);
  problem.goals = {goal};
  SolutionsOptions options;
  options.start = q;
  const Solutions all = solutions(problem, options).value();
  CHECK_MESSAGE(all.complete, all.message);
  CHECK(all.count() == 1);  // the other way turns joint 4 beyond its limit
  for (int v = 3; v < 6; ++v) {
    problem.limits.emplace_back(JointRef(arm.velocity_joint(v)), between(-3.2, 3.2));
  }
  CHECK(solutions(problem, options).value().count() >= 2);
  for (int k = 0; k < all.count(); ++k) CHECK(all.residuals[k] < 1e-12);
}

TEST_CASE("solutions: seven joints give the nearest point of each curve, or samples of the curves") {
  for (const char* name : {"panda"}) {
    const Model model = builtin(name);
    const int tip = model.effectors().empty() ? model.link_count() - 1 : model.effectors()[0];
    Rng rng(6);
    for (int n = 0; n < 3; ++n) {
      const VecX q = random_pose(model, rng);
      const PoseGoal goal = goal_at(model, tip, q);
      SolutionsOptions options;
      options.start = random_pose(model, rng);
      const Solutions nearest = solutions(model, goal, options).value();
      options.samples = 200;
      const Solutions samples = solutions(model, goal, options).value();
      REQUIRE(samples.count() > 20);
      REQUIRE(nearest.count() > 0);
      CHECK(!nearest.complete);
      CHECK(nearest.curves.size() == static_cast<std::size_t>(nearest.count()));
      double least = 1e9, far = 0.0;
      for (int k = 0; k < samples.count(); ++k) {
        CHECK(samples.residuals[k] < 1e-9);
        CHECK(inside_limits(model, samples.q.col(k)));
        least = std::min(least, (samples.q.col(k) - options.start).norm());
        if (k > 0 && samples.curves[static_cast<std::size_t>(k)] == samples.curves[static_cast<std::size_t>(k - 1)]) {
          far = std::max(far, (samples.q.col(k) - samples.q.col(k - 1)).cwiseAbs().maxCoeff());
        }
      }
      CHECK(far < 0.8);
      CHECK((nearest.q.col(0) - options.start).norm() <= least + 1e-6);
    }
  }
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
      REQUIRE(report.proof.has_value());
      CHECK(report.proof->bound == ReachBound::no_solution);
      CHECK(report.message().find("No pose inside the limits") != std::string::npos);
    }
    CHECK(inside_limits(model, q));
  }
  CHECK(proved > 200);
}

TEST_CASE("analytic: rounded right angles at a singular wrist prove nothing, and goals there are answered") {
  // As URDFs have them: 1.570796327.
  for (const double rounding : {0.0, 2.1e-10}) {
    CAPTURE(rounding);
    ReadOptions options;
    options.file_name = "ur5.json";
    Linkage linkage;
    for (const BuiltinModel& entry : builtin_models()) {
      if (entry.name == "ur5") linkage = read_document(entry.json, options).value().linkage;
    }
    for (Joint& joint : linkage.joints) {
      if (joint.name.rfind("wrist_2", 0) == 0 || joint.name.rfind("wrist_3", 0) == 0)
        joint.origin = joint.origin * Transform::rotate(Vec3::UnitX(), rounding);
    }
    const Model model = test::compiled(linkage);
    const int tip = model.link("tool0");
    Analytic solver;
    Problem problem;
    problem.model = model;
    problem.goals.resize(1);
    Rng rng(19);
    for (int n = 0; n < 3000; ++n) {
      VecX there(6);
      for (int i = 0; i < 6; ++i) there[i] = rng.uniform(-kPi, kPi);
      there[2] = rng.uniform(-0.8, 0.8);  // nearly straight: few values of the last joint leave the elbow in reach
      there[4] = n % 3 == 0 ? 0.0 : n % 3 == 1 ? kPi : -kPi;
      problem.goals[0] = goal_at(model, tip, there);
      const Report& report = solver.solve(problem, VecX::Zero(6));
      CHECK_FALSE(report.proof.has_value());
      CHECK(report.ok());
    }
  }
}

TEST_CASE("analytic: nothing that moves, several goals, goals of other kinds are refused") {
  const Model model = limited_arm(2.5);
  Analytic solver;
  Problem problem;
  problem.model = model;
  PoseGoal goal;
  goal.link = model.link("tip");
  problem.goals.emplace_back(goal);
  CHECK(solver.check(problem).ok());
  for (int v = 0; v < 6; ++v) problem.locked.emplace_back(model.velocity_joint(v));
  CHECK(solver.check(problem).message().find("locked") != std::string::npos);
  problem.locked.clear();
  problem.goals.emplace_back(goal);
  CHECK(solver.check(problem).message().find("one goal") != std::string::npos);
  AimGoal aim;
  aim.link = goal.link;
  problem.goals.assign(1, aim);
  CHECK(solver.check(problem).message().find("not 'aim'") != std::string::npos);
}
