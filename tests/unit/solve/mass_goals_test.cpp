#include "armature/solve/mass_goals.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/solve.hpp"
#include "support/follow_scenario.hpp"

namespace armature {
namespace {

struct Standing {
  Model model = test::builtin_model("human");
  VecX start = start_pose(model);
  State at_start = forward(model, start);
  Problem problem{.model = model, .start = start};

  Standing() {
    for (const char* foot : {"left_foot", "right_foot"}) {
      problem.goals.emplace_back(PoseGoal{.link = foot, .target = at_start.transform(foot)});
    }
  }
  Vec3 center(const VecX& q) const {
    CenterOfMass mass;
    mass.prepare(model);
    return mass.compute(forward(model, q));
  }
};

}  // namespace

TEST_CASE("a center_of_mass goal puts the masses where it says, seen from any base") {
  Standing human;
  const Vec3 before = human.center(human.start);
  CenterOfMassGoal goal{.target = before + Vec3(0.03, 0.05, -0.06)};
  human.problem.goals.emplace_back(goal);
  const Report report = solve(human.problem);
  REQUIRE(report.ok());
  CHECK((human.center(report.q) - goal.target).norm() < 1e-4);

  CenterOfMassGoal& seen = std::get<CenterOfMassGoal>(human.problem.goals.back());
  seen.base = "left_foot";
  seen.target = human.at_start.transform("left_foot").inverse() * goal.target;
  const Report again = solve(human.problem);
  REQUIRE(again.ok());
  CHECK((human.center(again.q) - goal.target).norm() < 1e-4);
}

TEST_CASE("a figure that reaches with balance stands: 60 hand goals with both feet held") {
  Standing human;
  Rng rng(5);
  int without = 0;
  int standing = 0;
  int reached = 0;
  BalanceGoal balance{.margin = 0.01};
  MassGoal judge;
  const Goal judged = balance;
  REQUIRE(judge.bind(judged, human.model, {}).ok());
  const auto stands = [&](const VecX& q) {
    GoalRows rows;
    const State state = forward(human.model, q);
    judge.linearize(state, rows);
    return std::hypot(rows.error[0], rows.error[1]) < 1e-4;
  };
  CHECK(stands(human.start));
  for (int k = 0; k < 60; ++k) {
    const Vec3 target(rng.uniform(0.2, 0.8), rng.uniform(-0.6, 0.2), rng.uniform(0.3, 1.5));
    human.problem.goals.resize(2);
    human.problem.goals.emplace_back(PositionGoal{.link = "right_hand", .target = target});
    const Report plain = solve(human.problem);
    if (!plain.ok()) continue;
    without += stands(plain.q);
    ++reached;
    human.problem.goals.emplace_back(balance);
    const Report report = solve(human.problem);
    standing += report.ok() && stands(report.q);
    if (report.ok()) CHECK(stands(report.q));
  }
  CAPTURE(reached);
  CAPTURE(without);
  CAPTURE(standing);
  CHECK(reached > 30);
  CHECK(without < reached);
  CHECK(standing >= 0.95 * reached);
}

TEST_CASE("a balance goal says which contacts are wrong, and finds feet by their names") {
  const Model human = test::builtin_model("human");
  CHECK(check_goal(BalanceGoal{}, human).ok());
  const Model arm = test::builtin_model("ur5");
  CHECK(check_goal(BalanceGoal{}, arm).message().find("name the links that stand") != std::string::npos);
  CHECK(check_goal(BalanceGoal{.contacts = {{"nobody"}}}, arm).message().find("nobody") != std::string::npos);
  BalanceGoal many{.contacts = {{"wrist_3_link"}}};
  many.contacts.front().points.resize(65, Vec3::Zero());
  CHECK(check_goal(many, arm).message().find("at most 64") != std::string::npos);
}

}  // namespace armature
