// A pose within limits; when it fails, why.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

int main() {
  const Model panda = load_model("panda").value();
  const Report report =
      solve({.model = panda, .goals = {PoseGoal{.link = "panda_tcp", .target = {{0.4, 0.2, 0.5}, rpy(kPi, 0, 0)}}}});
  std::cout << report.message() << '\n';  // "Reached after 2 iterations ...", or what holds it back
  for (const LimitContact& at : report.blocking_joints) std::cout << at.joint << '\n';

  // Out of reach is proved and said; report.q is the nearest pose that was found.
  const Report far = solve({.model = panda, .goals = {PositionGoal{.link = "panda_tcp", .target = {3, 0, 0}}}});
  std::cout << far.message() << '\n';

  // Who asks often keeps a solver, with the method and the options of choice.
  Solver solver{DlsOptions{.damping = 0.1}, {.max_iterations = 500}};
  const Report& careful = solver.solve({.model = panda, .goals = {PositionGoal{.target = {0.4, 0.2, 0.5}}}});
  std::cout << careful.method << ": " << careful.message() << '\n';
  return report.ok() && far.outcome == Outcome::unreachable && careful.ok() ? 0 : 1;
}
