// Every pose of an arm that reaches one target, the nearest to the start first.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

int main() {
  const Model ur5 = load_model("ur5").value();
  const Transform X{{0.3, 0.2, 0.4}, rpy(0, 3, 0)};
  const Solutions all = solutions(ur5, PoseGoal{.target = X}).value();  // with every full turn that the limits allow
  std::cout << all.message << '\n';

  // Angles once, whatever the limits: shoulder, elbow and wrist can each bend two ways.
  const Solutions eight = solutions(ur5, PoseGoal{.target = X}, {.within_limits = false}).value();
  for (int k = 0; k < eight.count(); ++k) std::cout << eight.q.col(k).transpose() << '\n';
  std::cout << (eight.complete ? "all of them\n" : "those that were found\n");

  // Out of reach: the list is empty, and complete.
  const Solutions none = solutions(ur5, PoseGoal{.target = {{2, 0, 0}, X.rotation}}).value();
  std::cout << none.message << '\n';
  return all.count() > 8 && eight.count() == 8 && eight.complete && none.count() == 0 && none.complete ? 0 : 1;
}
