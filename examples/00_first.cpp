// The program of the README.
#include <armature/scene/load.hpp>
#include <armature/solve/registry.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  const auto robot = armature::load_model(argc > 1 ? argv[1] : "panda").value().model;  // a .urdf, or a built-in name
  armature::PositionGoal goal;
  goal.link = robot.effectors()[0];
  goal.target = {0.4, 0.2, 0.5};
  const armature::Problem problem{&robot, {goal}};
  armature::VecX q = armature::VecX::Zero(robot.q_size());  // the start, and then the answer
  const auto report = armature::make_solver("auto").value()->solve(problem, q);
  std::puts(report.message().c_str());  // "Reached after 2 iterations ...", or what holds it back
  return report.ok() ? 0 : 1;
}
