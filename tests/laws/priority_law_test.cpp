// Strict priorities over random trees: whatever the lower levels ask, the higher ones are as near as they are alone.
#include <doctest/doctest.h>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/follow.hpp"
#include "armature/solve/methods/reach.hpp"
#include "armature/solve/methods/reach_general.hpp"
#include "support/general_reach.hpp"
#include "support/priority_cases.hpp"
#include "support/zoo.hpp"

using namespace armature;
using namespace armature::test;

namespace {

// A random tree of 6 to 12 joints: mostly revolute, some balls and slides, all with limits where they can have them.
Model random_tree(Rng& rng) {
  Linkage l;
  l.links.push_back({"base", {}});
  const int joints = 6 + static_cast<int>(rng.below(7));
  const auto vector = [&](double size) {
    return Vec3(rng.uniform(-size, size), rng.uniform(-size, size), rng.uniform(-size, size));
  };
  for (int i = 1; i <= joints; ++i) {
    // Mostly on the last link, so that limbs grow; now and then a new branch.
    const int parent = rng.below(4) == 0 ? static_cast<int>(rng.below(i)) : i - 1;
    Joint joint = make_joint("joint" + std::to_string(i), Revolute{vector(1.0).normalized()},
                             l.links[static_cast<std::size_t>(parent)].name, "link" + std::to_string(i), vector(0.3));
    const auto kind = rng.below(6);
    if (kind == 0) {
      joint.type = Spherical{};
    } else if (kind == 1) {
      joint.type = Prismatic{vector(1.0).normalized()};
      joint.limits.lower = {-0.3};
      joint.limits.upper = {0.3};
    } else {
      joint.limits.lower = {-rng.uniform(0.5, 2.5)};
      joint.limits.upper = {rng.uniform(0.5, 2.5)};
    }
    add(l, joint);
  }
  return must_compile(l);
}

// A goal that some pose of the model satisfies (`at`), of a random type on a random link.
Goal goal_at(const Model& model, const State& at, Rng& rng, int priority) {
  const int link = 1 + static_cast<int>(rng.below(model.link_count() - 1));
  const Transform& X = at.X_WL[static_cast<std::size_t>(link)];
  const auto with = [&](auto goal) {
    goal.link = link;
    goal.priority = priority;
    return goal;
  };
  switch (rng.below(5)) {
    case 0: {
      auto goal = with(PoseGoal{});
      goal.target = X;
      return goal;
    }
    case 1: {
      auto goal = with(OrientationGoal{});
      goal.target = X.quaternion();
      goal.axes.free[rng.below(3)] = true;
      return goal;
    }
    case 2: {
      auto goal = with(AimGoal{});
      goal.target = X * Vec3(1.0, 0, 0);
      return goal;
    }
    case 3: {
      auto goal = with(PointOnPlaneGoal{});
      goal.target = X.position;
      goal.normal = Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), 1.0);
      return goal;
    }
    default: {
      auto goal = with(PositionGoal{});
      goal.target = X.position;
      if (rng.below(2) == 0) goal.axes.box = Vec3(0.05, 0.0, 0.02);
      return goal;
    }
  }
}

double norm_of(const GoalResidual& residual, double size) {
  return std::hypot(residual.position_error, residual.orientation_error * size);
}

}  // namespace

TEST_CASE("law: a lower level never disturbs a higher one by more than its tolerance, over random trees") {
  Rng rng(21);
  int contradictions = 0;  // cases in which the lower level had to yield: without them the law would say nothing
  int both = 0;            // and in which it did not have to
  int unreached_alone = 0;
  for (int trial = 0; trial < 120; ++trial) {
    CAPTURE(trial);
    const Model model = random_tree(rng);
    State first, second;
    forward(model, random_pose(model, rng), first);
    // Of one pose both levels can be had; of two poses they contradict each other more often than not.
    forward(model, random_pose(model, rng), second);
    const bool agree = trial % 3 == 0;
    Problem problem;
    problem.model = model;
    problem.goals.push_back(goal_at(model, first, rng, 0));
    if (trial % 2 == 0) problem.goals.push_back(goal_at(model, first, rng, 0));
    const std::size_t higher = problem.goals.size();
    const VecX seed = middle_pose(model);
    test::GeneralReach reach;
    Report alone, together;
    VecX q = seed;
    reach.solve(problem, {}, q, alone, nullptr);
    problem.goals.push_back(goal_at(model, agree ? first : second, rng, 1));
    if (trial % 5 == 0) problem.goals.push_back(goal_at(model, second, rng, 2));
    REQUIRE(check_problem(problem).ok());
    q = seed;
    reach.solve(problem, {}, q, together, nullptr);
    CHECK(inside_limits(model, q));
    if (alone.ok()) {
      for (std::size_t g = 0; g < higher; ++g) CHECK(together.goals[g].reached);
    } else {
      ++unreached_alone;
      double sum_alone = 0.0, sum_together = 0.0;
      for (std::size_t g = 0; g < higher; ++g) {
        sum_alone += norm_of(alone.goals[g], model.size());
        sum_together += norm_of(together.goals[g], model.size());
      }
      CHECK(sum_together < 1.02 * sum_alone + 1e-5 * model.size());
    }
    contradictions += !together.goals[higher].reached;
    both += together.ok();
  }
  MESSAGE("lower level yielded in " << contradictions << ", all reached in " << both << ", first level missed alone in "
                                    << unreached_alone << " of 120");
  CHECK(contradictions >= 20);
  CHECK(both >= 20);
  CHECK(unreached_alone <= 2);
}

TEST_CASE("law: among lower levels too: the third yields to the second") {
  const Model model = must_compile(arm_linkage(7));
  const int hand = model.link("hand");
  Rng rng(22);
  for (int trial = 0; trial < 10; ++trial) {
    State state;
    forward(model, random_pose(model, rng), state);
    const Vec3 place = state.X_WL.back().position;
    PointOnPlaneGoal plane;
    plane.link = hand;
    plane.target = place;
    PointOnLineGoal line;
    line.link = hand;
    line.target = place;
    line.direction = Vec3::UnitX();
    line.priority = 1;
    PositionGoal elsewhere;
    elsewhere.link = hand;
    elsewhere.target = place + Vec3(0.0, 0.1, 0.1);  // off the line and off the plane: it can only keep x
    elsewhere.priority = 2;
    Problem problem;
    problem.model = model;
    problem.goals = {plane, line, elsewhere};
    VecX q = middle_pose(model);
    test::GeneralReach reach;
    Report report;
    reach.solve(problem, {}, q, report, nullptr);
    CHECK(report.goals[0].reached);
    CHECK(report.goals[1].reached);
    CHECK(!report.goals[2].reached);
    CHECK(report.goals[2].position_error == doctest::Approx(std::sqrt(0.02)).epsilon(0.01));
  }
}

TEST_CASE("law: on a figure, four priorities: none is spoiled by one below it, reachable or not") {
  Reach reach;
  const PriorityTally tally = examine_priorities(
      12, 3, [&](const Problem& problem, const VecX& start) { return reach.solve(problem, start).q; });
  MESSAGE(tally.cases << " cases, " << tally.reachable << " with everything above in reach; largest loss "
                      << tally.largest_loss);
  CHECK(tally.reachable >= 5);
  CHECK(tally.spoiled == 0);
  CHECK(tally.worse == 0);
}

TEST_CASE("law: four priorities on a figure, and nothing is lost to the last one by following either") {
  const PriorityTally tally = examine_priorities(12, 3, [&](const Problem& problem, const VecX& start) {
    Follow follow;
    return follow.solve(problem, start).q;
  });
  CHECK(tally.reachable >= 5);
  CHECK(tally.spoiled == 0);
  CHECK(tally.worse == 0);
}
