// Random problems of four priorities on the human figure: planted feet, a hand that may be out of reach, a look, a firm
// posture. What does a lower priority cost the higher ones?
#pragma once

#include <cmath>
#include <functional>

#include "support/follow_scenario.hpp"

namespace armature::test {

struct PriorityTally {
  int cases = 0;
  int reachable = 0;        // higher priorities reached without the last one
  int spoiled = 0;          // of these: missed with it
  int worse = 0;            // of the others: some higher priority lost more than 1 % of its error
  double largest_loss = 0;  // of an error that could not be reached, as a fraction of it
};

inline double goal_error(const Model& model, const Goal& goal, const VecX& q) {
  State state;
  forward(model, q, state);
  GoalRows rows;
  linearize(goal, state, rows);
  double sum = 0.0;
  for (int r = 0; r < rows.rows; ++r) {
    const double e =
        rows.error[static_cast<std::size_t>(r)] * (is_angle_row(goal, model, r) ? 0.25 * model.size() : 1.0);
    sum += e * e;
  }
  return std::sqrt(sum);
}

/// `solve`: the pose that a method answers a problem with from the rest pose.
inline PriorityTally examine_priorities(int cases, std::uint64_t seed,
                                        const std::function<VecX(const Problem&, const VecX&)>& solve) {
  const Model model = builtin_model("human");
  const VecX rest = model.find_pose("rest").value();
  State state;
  forward(model, rest, state);
  const double tolerance = 2e-6 * model.size();
  Rng rng(seed);
  PriorityTally tally;
  for (int i = 0; i < cases; ++i) {
    Problem problem;
    problem.model = model;
    for (const char* name : {"left_foot", "right_foot"}) {
      PoseGoal foot;
      foot.link = name;
      foot.target = state.X_WL[static_cast<std::size_t>(model.find_link(name).value())];
      problem.goals.emplace_back(foot);
    }
    PositionGoal hand;
    const char* side = i % 2 == 0 ? "right_hand" : "left_hand";
    hand.link = side;
    hand.target = state.X_WL[static_cast<std::size_t>(model.find_link(side).value())].position +
                  Vec3(rng.uniform(-0.3, 1.2), rng.uniform(-1.0, 1.0), rng.uniform(-0.6, 1.2));
    hand.priority = 1;
    problem.goals.emplace_back(hand);
    AimGoal look;
    look.link = "head";
    look.direction = Vec3::UnitX();
    look.target = Vec3(rng.uniform(-1.5, 2.0), rng.uniform(-1.5, 1.5), rng.uniform(0.0, 2.0));
    look.priority = 2;
    problem.goals.emplace_back(look);
    PostureGoal posture;
    posture.target = rest;
    posture.tolerance = 1e-3;
    posture.priority = 3;
    problem.goals.emplace_back(posture);
    // Each lower priority in turn is added to those above it.
    const std::size_t ends[] = {2, 3, 4, 5};
    for (int k = 1; k < 4; ++k) {
      Problem above = problem, both = problem;
      above.goals.resize(ends[k - 1]);
      both.goals.resize(ends[k]);
      const VecX alone = solve(above, rest), with = solve(both, rest);
      ++tally.cases;
      bool reached = true, spoiled = false, better = false;
      double loss = 0.0;
      // Priority by priority: one that gains pays for what those below it lose.
      for (int level = 0; level < k && !better; ++level) {
        double before = 0.0, after = 0.0;
        for (std::size_t g = level == 0 ? 0 : ends[level - 1]; g < ends[level]; ++g) {
          before = std::hypot(before, goal_error(model, problem.goals[g], alone));
          after = std::hypot(after, goal_error(model, problem.goals[g], with));
        }
        if (before <= tolerance) {
          spoiled = spoiled || after > 2.0 * tolerance;
        } else {
          reached = false;
          better = after < 0.999 * before;
          loss = std::max(loss, (after - before) / before);
        }
      }
      tally.reachable += reached ? 1 : 0;
      tally.spoiled += spoiled ? 1 : 0;
      tally.worse += loss > 0.01 ? 1 : 0;
      tally.largest_loss = std::max(tally.largest_loss, loss);
    }
  }
  return tally;
}

}  // namespace armature::test
