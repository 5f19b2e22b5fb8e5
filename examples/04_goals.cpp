// Several goals with priorities: a hand reaches, the head looks, the rest stays near the start.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

int main() {
  const Model human = load_model("human").value();
  const Report report = solve({.model = human,
                               .goals = {PositionGoal{.link = "left_hand", .target = {0.35, 0.2, 1.1}},
                                         AimGoal{.link = "head", .target = {2, 0.3, 1.5}, .priority = 1},
                                         PostureGoal{}},  // the rest stays near the start
                               .locked = {"root"}});
  for (const GoalReport& goal : report.goals) {
    std::cout << goal.name << ' ' << goal.position_error << ' ' << goal.reached << '\n';
  }
  return report.ok() ? 0 : 1;
}
