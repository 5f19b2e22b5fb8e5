// A pose that reaches under a shelf and touches nothing, and why a goal inside the board is refused.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

int main() {
  const Model panda = load_model("panda").value();
  const std::vector<Obstacle> shelf = {
      {"board", Box{Vec3(0.3, 0.8, 0.02)}, Transform::translate({0.55, 0, 0.55}), ""},
      {"table", Plane{}, Transform::translate({0, 0, -0.05}), ""}};  // or load_obstacles("shelf.json", panda).value()
  const Report report = solve({.model = panda,
                               .goals = {PositionGoal{.link = "panda_tcp", .target = {0.5, 0.1, 0.35}}},
                               .obstacles = shelf,
                               .margin = 0.005});
  std::cout << report.message() << ' ' << report.clearance << '\n';

  const Report blocked =
      solve({.model = panda,
             .goals = {PositionGoal{.link = "panda_tcp", .target = {0.55, 0, 0.55}}},  // in the board
             .obstacles = shelf});
  std::cout << blocked.message() << '\n';  // how often it was reached, and what it always touches
  return report.ok() && report.clearance >= 0.005 && blocked.outcome == Outcome::blocked ? 0 : 1;
}
