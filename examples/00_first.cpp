// The program of the README.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

int main(int argc, char** argv) {
  const Model robot = load_model(argc > 1 ? argv[1] : "panda").value();  // a .urdf, or a built-in name
  const Report report = solve({.model = robot, .goals = {PositionGoal{.target = {0.4, 0.2, 0.5}}}});
  std::cout << report.message() << '\n';  // "Reached after 2 iterations ...", or what holds it back
  return report.ok() ? 0 : 1;             // report.q: the answer, or the nearest pose found
}
