// A pose that reaches under a shelf and touches nothing, and why a goal inside the board is refused.
#include "armature/kinematics/clearance.hpp"
#include "armature/scene/load.hpp"
#include "builtin.hpp"

using namespace armature;

int main() {
  const Model robot = value_of(load_model("panda")).model;
  Problem problem;
  problem.model = robot;
  problem.obstacles = {{"board", Box{Vec3(0.3, 0.8, 0.02)}, Transform::translate(Vec3(0.55, 0, 0.55)), ""},
                       {"table", Plane{}, Transform::translate(Vec3(0, 0, -0.05)), ""}};
  problem.margin = 0.005;
  problem.bodies = std::make_shared<const Bodies>(value_of(compile_bodies(robot)));

  PositionGoal goal;
  goal.link = "panda_tcp";
  goal.target = Vec3(0.5, 0.1, 0.35);
  problem.goals = {goal};
  const std::unique_ptr<Solver> solver = value_of(make_solver("auto"));
  const Report free = solver->solve(problem, middle_pose(robot));
  std::printf("%s Clearance %.1f mm.\n", free.message().c_str(), 1e3 * free.clearance);

  Clearance clearance;
  if (!clearance.prepare(robot, *problem.bodies, problem.obstacles)) return 1;
  std::vector<NearPair> near;
  clearance.nearest(free.q.data(), 0.2, near);
  for (const NearPair& pair : near) {
    const std::string other =
        pair.obstacle >= 0 ? clearance.obstacle_name(pair.obstacle) : robot.link_name(pair.link_b);
    std::printf("  %-16s %-16s %7.1f mm\n", robot.link_name(pair.link_a).c_str(), other.c_str(),
                1e3 * pair.nearest.distance);
  }

  goal.target = Vec3(0.55, 0, 0.55);  // in the middle of the board
  problem.goals = {goal};
  const Report blocked = solver->solve(problem, middle_pose(robot));
  std::printf("%s\n", blocked.message().c_str());
  return free.ok() && free.clearance >= problem.margin && blocked.outcome == Outcome::blocked ? 0 : 1;
}
