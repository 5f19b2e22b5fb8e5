// A control loop that follows a moving target within the velocity limits.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

int main() {
  const Model panda = load_model("panda").value();
  const VecX q = panda.pose("ready");
  Follower follower({.model = panda, .goals = {PoseGoal{.link = "panda_tcp"}}, .start = q}, {.velocity_scale = 0.5});
  const Transform first = forward(panda, q).transform("panda_tcp");
  double behind = 0.0;
  VecX last = q;
  bool within = true;
  for (int tick = 0; tick < 2500; ++tick) {  // a circle in five seconds
    const double angle = 2 * kPi * tick / 2500;
    const Vec3 place = first.position + 0.1 * Vec3(std::cos(angle) - 1, std::sin(angle), 0);
    follower.set_target(0, Transform{place, first.rotation});
    const FollowerStep& now = follower.step(0.002);  // seconds; never jumps or allocates
    behind = std::max(behind, now.report->position_error);
    within = within && ((difference(panda, last, now.q) / 0.002).cwiseAbs().array() <=
                        0.5 * panda.velocity_limit().array() * (1 + 1e-9))
                           .all();
    last = now.q;
  }
  std::cout << "at most " << 1000 * behind << " mm behind\n";
  return behind < 0.005 && within ? 0 : 1;
}
