// The Jacobian of an end effector, and how well the pose can move it.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

int main() {
  const Model panda = load_model("panda").value();
  const VecX q = panda.pose("ready");
  const Jacobian J = jacobian(panda, q, "panda_tcp");  // 6 x v_size: linear rows, then angular, world axes
  std::cout << J << '\n' << measures(J).condition << '\n';

  // What it says is what happens: a small step of the joints moves the tool by J times the step.
  const VecX step = 1e-6 * VecX::LinSpaced(panda.v_size(), -1.0, 1.0);
  const Vec3 before = forward(panda, q).transform("panda_tcp").position;
  const Vec3 after = forward(panda, integrate(panda, q, step)).transform("panda_tcp").position;
  return (after - before - (J * step).head<3>()).norm() < 1e-11 ? 0 : 1;
}
