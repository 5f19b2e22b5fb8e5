// Loads a robot and prints where its links are.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

int main(int argc, char** argv) {
  const Model panda = load_model(argc > 1 ? argv[1] : "panda").value();  // throws ArmatureError with the sentence
  const VecX q = argc > 1 ? start_pose(panda) : panda.pose({{"panda_joint2", -45 * kDegree}, {"panda_joint4", -2.1}});
  const State state = forward(panda, q);
  for (const std::string& link : panda.links()) std::cout << link << ' ' << state.transform(link) << '\n';
  return state.transform(panda.links().back()).is_finite() ? 0 : 1;
}
