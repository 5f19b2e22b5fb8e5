// reach that keeps its branch: no search, no jump; and its quality nearest.
#include <doctest/doctest.h>

#include "support/follow_scenario.hpp"
#include "support/nearest_truth.hpp"

using namespace armature;
using namespace armature::test;

TEST_CASE("reach that keeps its branch does not turn the arm over for a goal just out of reach") {
  const Model model = builtin_model("ur5");
  const int tip = model.effectors().front();
  Rng rng(4);
  Reach free, kept;
  kept.settings.keep_branch = true;
  double most = 0.0, most_free = 0.0, short_of = 0.0;
  for (int trial = 0; trial < 20; ++trial) {
    // An arm stretched towards a place far away; the goal is 0.9 mm beyond its hand, the start a little bent.
    Problem problem;
    problem.model = model;
    PositionGoal goal;
    goal.link = tip;
    goal.target = Vec3(rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(0.0, 1.0)).normalized() * 100.0;
    problem.goals.assign(1, goal);
    const VecX straight = free.solve(problem, middle_pose(model)).q;
    VecX start = straight;
    for (int i = 0; i < start.size(); ++i) start[i] += rng.uniform(-0.1, 0.1);
    clamp(model, start);
    State state;
    forward(model, straight, state);
    const Vec3 hand = state.X_WL[static_cast<std::size_t>(tip)].position;
    goal.target = hand + 9e-4 * (goal.target - hand).normalized();
    problem.goals.assign(1, goal);
    const Report& report = kept.solve(problem, start);
    most = std::max(most, (report.q - start).cwiseAbs().maxCoeff());
    short_of = std::max(short_of, report.position_error);
    most_free = std::max(most_free, (free.solve(problem, start).q - start).cwiseAbs().maxCoeff());
  }
  MESSAGE("largest turn " << most << " rad, " << most_free << " rad with a search; at most " << 1e3 * short_of
                          << " mm short");
  CHECK(most < 0.5);
  CHECK(short_of > 8e-4);  // it is out of reach
  CHECK(short_of < 2e-3);
}

TEST_CASE("reach that keeps its branch obeys the law of following in every frame") {
  for (const Gesture& gesture : builtin_gestures()) {
    CAPTURE(gesture.name);
    Reach kept;
    kept.settings.keep_branch = true;
    VecX q = gesture.start;
    double over = -1.0;
    int reached = 0;
    for (std::size_t f = 0; f < gesture.frames.size(); ++f) {
      const VecX before = q;
      const Report& report = kept.solve(gesture.problem(f), before);
      reached += report.ok() ? 1 : 0;
      q = report.q;
      const double motion = f == 0 ? 0.0 : goal_motion(gesture.model.size(), gesture.frames[f - 1], gesture.frames[f]);
      const double allowed = motion > 1e-9 ? 13.0 * motion / gesture.model.size() + 0.01 : 0.05;
      over = std::max(over, largest_turn(gesture.model, before, q) - allowed);
    }
    CHECK(over <= 1e-6);
    if (gesture.kind == "loop") {
      CHECK(reached == static_cast<int>(gesture.frames.size()));
      CHECK(largest_turn(gesture.model, gesture.start, q) < 0.1 * kPi / 180.0);
    }
  }
}

TEST_CASE("quality nearest: truly the nearest for nearly all goals, by analysis or by starts around the given one") {
  NearestTally all;
  for (const char* name : {"ur5", "puma560", "stanford_arm", "panda"}) {
    const Model model = builtin_model(name);
    const NearestArm arm{name, model, kWorld, model.effectors().front()};
    for (const bool position : {false, true}) {
      const NearestTally tally = examine_nearest(arm, 12, 100, position);
      CAPTURE(arm.name);
      CAPTURE(position);
      CHECK(tally.solved >= 11);
      CHECK(tally.nearest >= tally.solved - 1);
      all.solved += tally.solved;
      all.nearest += tally.nearest;
    }
  }
  MESSAGE(all.nearest << " of " << all.solved << " truly nearest");
  CHECK(all.nearest >= 0.97 * all.solved);
}

TEST_CASE("quality nearest: the start itself, and full turns taken back") {
  const Model model = builtin_model("ur5");
  const int tip = model.effectors().front();
  Reach nearest;
  nearest.settings.quality = Quality::nearest;
  VecX there(6);
  there << -0.3, -1.2, 1.6, -0.9, 0.8, 0.4;
  State state;
  forward(model, there, state);
  Problem problem;
  problem.model = model;
  PoseGoal goal;
  goal.link = tip;
  goal.target = state.X_WL[static_cast<std::size_t>(tip)];
  problem.goals.emplace_back(goal);
  REQUIRE(nearest.solve(problem, there).ok());
  CHECK((nearest.solve(problem, there).q - there).cwiseAbs().maxCoeff() < 1e-9);
  // A start that is turned round by more than half a turn: the same pose a full turn on is nearer to it.
  VecX turned = there;
  turned[0] += 2.0 * kPi - 0.5;
  turned[5] -= 2.0 * kPi - 0.3;
  const Report& report = nearest.solve(problem, turned);
  REQUIRE(report.ok());
  CHECK((report.q - turned).cwiseAbs().maxCoeff() < 0.6);
}
