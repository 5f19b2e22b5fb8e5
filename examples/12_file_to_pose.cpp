// From a robot's file to a pose, and the reason when there is none. `12_file_to_pose robot.urdf link x y z`, or the
// built-in panda.
#include "armature/scene/load.hpp"
#include "builtin.hpp"

using namespace armature;

int main(int argc, char** argv) {
  const bool own = argc == 6;
  const Model robot = value_of(load_model(own ? argv[1] : "panda")).model;
  PositionGoal goal;
  goal.link = value_of(robot.find_link(own ? argv[2] : "panda_tcp"));
  goal.target = own ? Vec3(std::atof(argv[3]), std::atof(argv[4]), std::atof(argv[5])) : Vec3(0.4, 0.2, 0.5);

  Problem problem;
  problem.model = robot;
  problem.goals = {goal};
  const std::unique_ptr<Solver> solver = value_of(make_solver("auto"));
  VecX q = middle_pose(robot);
  Report report = solver->solve(problem, q);
  q = report.q;
  std::printf("%s\n", report.message().c_str());
  for (int i = 0; i < robot.q_size(); ++i) std::printf("  %-22s %9.5f\n", robot.coordinate_name(i).c_str(), q[i]);
  if (own) return report.ok() ? 0 : 1;

  // What cannot be reached is said, with the nearest pose.
  problem.goals = {PositionGoal{.link = goal.link, .target = {3, 0, 0}}};
  q = middle_pose(robot);
  const Report& far = solver->solve(problem, q);
  q = far.q;
  std::printf("%s\n", far.message().c_str());
  return report.ok() && far.outcome == Outcome::unreachable ? 0 : 1;
}
