#include "armature/solve/methods/reach_general.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/measures.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/reach.hpp"
#include "support/allocation_counter.hpp"
#include "support/general_reach.hpp"
#include "support/linkages.hpp"
#include "support/problem_limits.hpp"
#include "support/solve_in_place.hpp"
#include "support/zoo.hpp"

using namespace armature;
using namespace armature::test;

namespace {

// A tree with two arms on a turning chest, all revolute, limits +-2.
Model two_arms() {
  Linkage l;
  l.links.push_back({"base", {}});
  Joint chest = make_joint("chest_turn", Revolute{Vec3::UnitZ()}, "base", "chest", Vec3(0, 0, 0.5));
  chest.limits.lower = {-2.0};
  chest.limits.upper = {2.0};
  add(l, chest);
  for (const char* side : {"l", "r"}) {
    std::string parent = "chest";
    for (int i = 0; i < 6; ++i) {
      const Vec3 axis = i % 3 == 0 ? Vec3::UnitZ() : i % 3 == 1 ? Vec3::UnitY() : Vec3::UnitX();
      const std::string child = side + std::to_string(i + 1);
      const double y = side[0] == 'l' ? 0.2 : -0.2;
      Joint joint =
          make_joint(child + "_joint", Revolute{axis}, parent, child, i == 0 ? Vec3(0, y, 0) : Vec3(0.15, 0, 0));
      joint.limits.lower = {-2.0};
      joint.limits.upper = {2.0};
      add(l, joint);
      parent = child;
    }
  }
  return must_compile(l);
}

PoseGoal pose_goal(const State& state, int link) {
  PoseGoal goal;
  goal.link = link;
  goal.target = state.X_WL[static_cast<std::size_t>(link)];
  return goal;
}
PositionGoal position_goal(int link, const Vec3& target, int priority = 0) {
  PositionGoal goal;
  goal.link = link;
  goal.target = target;
  goal.priority = priority;
  return goal;
}

struct Solved {
  Report report;
  VecX q;
};
Solved solve(const Problem& problem, const VecX& seed, const ReachSettings& options = {}) {
  REQUIRE(check_problem(problem).ok());
  test::GeneralReach reach;
  Solved solved{{}, seed};
  reach.solve(problem, options, solved.q, solved.report, nullptr);
  return solved;
}

}  // namespace

TEST_CASE("reach, general: two effectors on trees, every joint type, all reached inside limits") {
  const Model arms = two_arms();
  const Model zoo = must_compile(zoo_linkage());
  struct Case {
    const Model* model;
    const char* links[2];
  };
  for (const Case& c : {Case{&arms, {"l6", "r6"}}, Case{&zoo, {"hand", "tip2"}}}) {
    const Model& model = *c.model;
    test::GeneralReach reach;
    Report report;
    Rng rng(3);
    int reached = 0;
    for (int trial = 0; trial < 40; ++trial) {
      State state;
      forward(model, random_pose(model, rng), state);
      Problem problem;
      problem.model = model;
      for (const char* name : c.links) problem.goals.emplace_back(pose_goal(state, model.link(name)));
      VecX q = middle_pose(model);
      reach.solve(problem, {}, q, report, nullptr);
      reached += report.ok();
      CHECK(inside_limits(model, q));
      State at;
      forward(model, q, at);
      for (std::size_t g = 0; report.ok() && g < 2; ++g) {
        const auto link = static_cast<std::size_t>(model.link(c.links[g]));
        CHECK((at.X_WL[link].position - state.X_WL[link].position).norm() < 1.01e-6 * model.size());
        CHECK(log_rotation(Mat3(at.X_WL[link].rotation * state.X_WL[link].rotation.transpose())).norm() < 1.01e-6);
        CHECK(report.goals[g].reached);
      }
      // The same question again: the same bits, and no memory.
      VecX again = middle_pose(model);
      const AllocationCounter allocations;
      reach.solve(problem, {}, again, report, nullptr);
      CHECK(allocations.count() == 0);
      CHECK(again == q);
    }
    CHECK(reached == 40);
  }
}

TEST_CASE("reach, general: a lower priority never disturbs a higher one") {
  const Model model = two_arms();
  const int left = model.link("l6");
  Rng rng(4);
  int conflicts = 0;
  for (int trial = 0; trial < 12; ++trial) {
    State state;
    forward(model, random_pose(model, rng), state);
    const Vec3 first = state.X_WL[static_cast<std::size_t>(left)].position;
    const Vec3 second = first + Vec3(0.1, -0.05, 0.08);
    Problem problem;
    problem.model = model;
    problem.goals = {position_goal(left, first, 0), position_goal(left, second, 1)};
    const Solved both = solve(problem, middle_pose(model));
    CHECK(both.report.goals[0].reached);
    CHECK(!both.report.goals[1].reached);
    CHECK(both.report.outcome == Outcome::stalled);
    conflicts += both.report.goals[1].position_error > 0.1;
    // The first one beyond reach: its own residual does not suffer from the second.
    const Vec3 far = Vec3(0, 0.2, 0.5) + Vec3(1.0 + 0.05 * trial, 0.3, 0.2);
    problem.goals = {position_goal(left, far, 0)};
    const Solved alone = solve(problem, middle_pose(model));
    problem.goals.emplace_back(position_goal(model.link("r6"), Vec3(0.3, -0.4, 0.6), 1));
    const Solved with = solve(problem, middle_pose(model));
    CHECK(with.report.goals[0].position_error < alone.report.goals[0].position_error * 1.01 + 1e-6);
  }
  CHECK(conflicts == 12);
}

TEST_CASE("reach, general: a posture draws in the null space and keeps nothing from converging") {
  const Model model = two_arms();
  Rng rng(5);
  double with_sum = 0.0;
  double without_sum = 0.0;
  for (int trial = 0; trial < 10; ++trial) {
    const VecX desired = 0.5 * random_pose(model, rng);
    State state;
    forward(model, random_pose(model, rng), state);
    Problem problem;
    problem.model = model;
    problem.goals = {position_goal(model.link("l6"), state.X_WL[static_cast<std::size_t>(model.link("l6"))].position)};
    const Solved without = solve(problem, middle_pose(model));
    PostureGoal posture;
    posture.target = desired;
    problem.goals.emplace_back(posture);
    const Solved with = solve(problem, middle_pose(model));
    REQUIRE(with.report.ok());
    with_sum += (with.q - desired).norm();
    without_sum += (without.q - desired).norm();
    // Joints that no goal depends on simply go there.
    for (int i = 7; i < 13; ++i) CHECK(with.q[i] == doctest::Approx(desired[i]));
  }
  CHECK(with_sum < 0.7 * without_sum);
}

TEST_CASE("reach, general: locked joints, limits of the call and mobility are honoured") {
  const Model model = two_arms();
  Rng rng(6);
  for (int trial = 0; trial < 10; ++trial) {
    VecX inside = random_pose(model, rng);
    Problem problem;
    problem.model = model;
    problem.locked = {model.velocity_joint(0), model.velocity_joint(3)};
    const VecX lower = VecX::Constant(13, -1.0), upper = VecX::Constant(13, 1.5);
    test::set_limits(problem, lower, upper);
    problem.joint_weights = {{model.velocity_joint(9), 0.0}};
    inside = inside.cwiseMax(lower).cwiseMin(upper);
    VecX seed = 0.5 * random_pose(model, rng);
    for (int i : {0, 3, 9}) inside[i] = seed[i];
    State state;
    forward(model, inside, state);
    for (const char* name : {"l6", "r6"}) {
      const int link = model.link(name);
      problem.goals.emplace_back(position_goal(link, state.X_WL[static_cast<std::size_t>(link)].position));
    }
    const Solved solved = solve(problem, seed);
    CHECK(solved.report.ok());
    for (int i : {0, 3, 9}) CHECK(solved.q[i] == seed[i]);
    CHECK((solved.q - lower).minCoeff() >= 0.0);
    CHECK((upper - solved.q).minCoeff() >= 0.0);
  }
}

TEST_CASE("reach, general: verdicts") {
  const Model model = two_arms();
  const int left = model.link("l6");
  Problem problem;
  problem.model = model;
  // Beyond reach: proved, and the nearest pose is the stretched arm.
  problem.goals = {position_goal(left, Vec3(0, 5.0, 0.5)), position_goal(model.link("r6"), Vec3(0.3, -0.3, 0.6))};
  Solved solved = solve(problem, middle_pose(model));
  CHECK(solved.report.outcome == Outcome::unreachable);
  REQUIRE(solved.report.proof.has_value());
  CHECK(solved.report.proof->bound == ReachBound::beyond);
  CHECK(solved.report.proof->distance > solved.report.proof->length);
  CHECK(solved.report.goals[0].position_error == doctest::Approx(5.0 - 0.2 - 0.75).epsilon(0.01));
  // Blocked by limits only.
  problem.goals = {position_goal(left, Vec3(-0.3, 0.3, 0.5))};
  test::set_limits(problem, VecX::Constant(13, -0.3), VecX::Constant(13, 0.3));
  solved = solve(problem, VecX(VecX::Zero(13)));
  CHECK(solved.report.outcome == Outcome::stalled);
  CHECK(!solved.report.blocking_joints.empty());
  CHECK(solved.report.position_error > 0.1);
  // Budgets.
  ReachSettings options;
  options.max_iterations = 1;
  CHECK(solve(problem, VecX(VecX::Zero(13)), options).report.outcome == Outcome::iteration_limit);
  options = {};
  options.max_time = 1e-9;
  CHECK(solve(problem, VecX(VecX::Zero(13)), options).report.outcome == Outcome::time_limit);
  // Nothing to do.
  problem.goals.clear();
  CHECK(solve(problem, VecX(VecX::Zero(13))).report.ok());
}

TEST_CASE("reach, general: qualities are better at what they are for than the first answer") {
  const Model model = must_compile(arm_linkage(7));
  Rng rng(8);
  double nearer = 0.0, first_distance = 0.0;
  double centred = 0.0, first_centre = 0.0;
  for (int trial = 0; trial < 8; ++trial) {
    State state;
    forward(model, random_pose(model, rng), state);
    Problem problem;
    problem.model = model;
    problem.goals = {position_goal(model.link("hand"), state.X_WL.back().position)};
    const VecX seed = random_pose(model, rng);
    ReachSettings options;
    const Solved first = solve(problem, seed, options);
    options.quality = Quality::nearest;
    const Solved near = solve(problem, seed, options);
    options.quality = Quality::centered;
    const Solved centre = solve(problem, seed, options);
    REQUIRE(first.report.ok());
    REQUIRE(near.report.ok());
    REQUIRE(centre.report.ok());
    nearer += (near.q - seed).norm();
    first_distance += (first.q - seed).norm();
    centred += centre.q.norm();
    first_centre += first.q.norm();
    options.quality = Quality::manipulable;
    CHECK(solve(problem, seed, options).report.ok());
  }
  CHECK(nearer < 0.95 * first_distance);
  CHECK(centred < 0.7 * first_centre);
}

TEST_CASE("reach, general: the most manipulable answer is more so than the first, and the nearest one is the seed") {
  const Model model = two_arms();
  const int left = model.link("l6"), right = model.link("r6");
  Rng rng(9);
  const auto volume = [&](const VecX& q) {  // of the hands' motion: what "manipulable" means
    State state;
    forward(model, q, state);
    MatX J = MatX::Zero(6, model.v_size());
    Jacobian scratch(6, model.v_size());
    int row = 0;
    for (int link : {left, right}) {
      jacobian(model, state, link, Vec3::Zero(), scratch);
      J.middleRows(row, 3) = scratch.topRows(3);
      row += 3;
    }
    return std::sqrt(std::max(0.0, MatX(J * J.transpose()).determinant()));
  };
  double most = 0.0, first = 0.0;
  for (int trial = 0; trial < 6; ++trial) {
    const VecX truth = random_pose(model, rng);
    State state;
    forward(model, truth, state);
    Problem problem;
    problem.model = model;
    for (int link : {left, right}) {
      problem.goals.emplace_back(position_goal(link, state.X_WL[static_cast<std::size_t>(link)].position));
    }
    const VecX seed = random_pose(model, rng);
    ReachSettings options;
    const Solved any = solve(problem, seed, options);
    options.quality = Quality::manipulable;
    const Solved best = solve(problem, seed, options);
    REQUIRE(any.report.ok());
    REQUIRE(best.report.ok());
    CHECK(volume(best.q) >= 0.999 * volume(any.q));
    first += volume(any.q);
    most += volume(best.q);
    CHECK(best.report.iterations < 2000);  // it stops early
    // The nearest to a seed that satisfies the goals is that seed.
    options.quality = Quality::nearest;
    const Solved still = solve(problem, truth, options);
    REQUIRE(still.report.ok());
    CHECK((still.q - truth).cwiseAbs().maxCoeff() < 1e-6);
  }
  CHECK(most > 1.2 * first);
}

TEST_CASE("reach, general: tracking follows the seed's branch wherever a continuous answer exists") {
  const Model model = two_arms();
  const int left = model.link("l6"), right = model.link("r6");
  // How regular a pose is with the chest locked: smallest singular value of twelve joints for twelve rows.
  const auto regular = [&](const VecX& q) {
    State state;
    forward(model, q, state);
    MatX J(12, 12);
    Jacobian scratch(6, 13);
    jacobian(model, state, left, Vec3::Zero(), scratch);
    J.topRows(6) = scratch.rightCols(12);
    jacobian(model, state, right, Vec3::Zero(), scratch);
    J.bottomRows(6) = scratch.rightCols(12);
    return measures(J).smallest();
  };
  ReachSettings options;
  options.local = true;
  Rng rng(10);
  int motions = 0, followed = 0;
  double worst = 0.0;
  for (int motion = 0; motion < 40; ++motion) {
    // A motion of the whole tree, so that a continuous answer is known to exist.
    const VecX from = 0.6 * random_pose(model, rng);
    VecX to = motion % 2 == 0 ? VecX(from + 0.15 * random_pose(model, rng)) : VecX(0.6 * random_pose(model, rng));
    to[0] = from[0];
    double least = 1.0;
    for (int frame = 0; frame <= 60; ++frame) least = std::min(least, regular(from + (to - from) * (frame / 60.0)));
    test::GeneralReach reach;
    Report report;
    VecX q = from;
    bool all = true;
    for (int frame = 1; frame <= 60; ++frame) {
      const VecX truth = from + (to - from) * (frame / 60.0);
      State state;
      forward(model, truth, state);
      Problem problem;
      problem.model = model;
      problem.locked = {model.velocity_joint(0)};
      for (int link : {left, right}) problem.goals.emplace_back(pose_goal(state, link));
      const VecX before = q;
      reach.solve(problem, options, q, report, nullptr);
      all = all && report.ok() && (q - truth).cwiseAbs().maxCoeff() < 1e-3;
      // The motion itself moves no joint by more than 0.04 a frame; a change of branch takes radians. Where branches
      // meet (singular poses) any of them may be followed, but none is jumped to.
      worst = std::max(worst, (q - before).cwiseAbs().maxCoeff());
    }
    if (least < 3e-3) continue;
    ++motions;
    followed += all;
  }
  MESSAGE(motions << " motions of regular poses, largest change of a joint in one frame " << worst);
  CHECK(motions >= 8);
  CHECK(followed == motions);
  CHECK(worst < 0.3);
}

TEST_CASE("reach, general: the verdict names the goals that were missed and the joints that block them") {
  const Model model = two_arms();
  Problem problem;
  problem.model = model;
  problem.goals = {position_goal(model.link("l6"), Vec3(-0.3, 0.3, 0.5)),
                   position_goal(model.link("r6"), Vec3(0.7, -0.2, 0.5))};
  test::set_limits(problem, VecX::Constant(13, -0.3), VecX::Constant(13, 0.3));
  const Solved solved = solve(problem, VecX(VecX::Zero(13)));
  REQUIRE(solved.report.outcome == Outcome::stalled);
  const std::string text = solved.report.message();
  CAPTURE(text);
  CHECK(text.find("Limits hold back") != std::string::npos);
  bool named = false;
  for (const LimitContact& at : solved.report.blocking_joints) {
    named = named || text.find(model.coordinate_name(at.index)) != std::string::npos;
  }
  CHECK(named);
  CHECK(text.find("position l6") != std::string::npos);
  CHECK((text.find("position r6") != std::string::npos) == !solved.report.goals[1].reached);
}

TEST_CASE("a posture of more than half a turn on a hinge without limits is met where it is wanted") {
  const Model model = test::compiled(test::planar_arm({1.0, 1.0}));
  Problem problem;
  problem.model = model;
  PostureGoal goal;
  goal.target = VecX::Constant(2, 4.0);
  goal.tolerance = 1e-6;
  problem.goals = {goal};
  VecX q = VecX::Zero(2);
  Reach reach;
  const Report& report = reach.solve(problem, q);
  q = report.q;
  CHECK(report.outcome == Outcome::converged);
  CHECK(report.orientation_error < 1e-6);
  CHECK((q - goal.target).norm() < 1e-6);
}

TEST_CASE("targets beyond all numbers: what is free is not looked at, what is not ends in a verdict") {
  const Model model = test::compiled(test::planar_arm({1.0, 1.0}));
  Problem problem;
  problem.model = model;
  PositionGoal goal;
  goal.link = model.link("tip");
  goal.target = Vec3(1.0, 1.0, 1e120);
  goal.axes.free = {false, false, true};
  problem.goals = {goal};
  Reach reach;
  VecX q = VecX::Constant(2, 0.3);
  CHECK(test::solve_in_place(reach, problem, q).outcome == Outcome::converged);
  goal.axes.free = {false, false, false};
  problem.goals = {goal};
  q = VecX::Constant(2, 0.3);
  const Report& report = reach.solve(problem, q);
  q = report.q;
  CHECK(report.outcome == Outcome::unreachable);
  CHECK(report.position_error == doctest::Approx(1e120));
  CHECK(q.allFinite());
}

TEST_CASE("a pose that is no number is never inside a tolerance box") {
  const Model model = test::compiled(test::planar_arm({1.0, 1.0}));
  PositionGoal goal;
  goal.link = model.link("tip");
  goal.axes.box = Vec3::Constant(10.0);
  State state;
  GoalRows rows;
  forward(model, VecX::Constant(2, 0.3), state);
  linearize(Goal{goal}, state, rows);
  CHECK(rows.error[0] == 0.0);
  forward(model, VecX::Constant(2, std::nan("")), state);
  linearize(Goal{goal}, state, rows);
  CHECK(std::isnan(rows.error[0]));
}
