// What a game does after it sampled its animation: a foot on a slope, a hand on a rail, a look. Closed form, against a
// State that is there already; only the limb's own links move, and nothing is allocated.
#include <armature/armature.hpp>
#include <cstdio>

using namespace armature;

int main() {
  const Model human = load_model("human").value();
  VecX q = neutral_pose(human);  // the sampled pose
  q[human.joint("left_knee").q_index] = 0.4;
  State state = forward(human, q);

  // Once for a character: a ball, a hinge or ball, and the end that they carry.
  const LimbIk leg = LimbIk::make(human, "left_thigh", "left_shin", "left_foot").value();
  const LimbIk other = LimbIk::make(human, "right_thigh", "right_shin", "right_foot").value();
  const LookIk gaze = LookIk::make(human, {human.link("neck"), human.link("head")}).value();

  // Every frame: the left foot on a step 12 cm up, the right one where it stands, eyes on a point beside the way.
  const Vec3 step = state.transform(human.link("left_foot")).position + Vec3(0.05, 0.0, 0.12);
  const Vec3 stand = state.transform(human.link("right_foot")).position;
  const Vec3 sight(2.0, 0.5, 1.5);
  const double missed[] = {leg.reach(step, {.weight = 1.0, .soft = 0.01}, q.data(), state),
                           other.reach(stand, {}, q.data(), state), gaze.look(sight, {.most = 1.2}, q.data(), state)};
  std::printf("left foot %.1e m, right foot %.1e m, look %.1e rad off\n", missed[0], missed[1], missed[2]);

  // `state` is that of `q`, without another forward pass.
  const State whole = forward(human, q);
  double apart = 0.0;
  for (int i = 0; i < human.link_count(); ++i) {
    apart = std::max(apart, (whole.transform(i).position - state.transform(i).position).norm());
  }
  return apart < 1e-12 && missed[0] < 1e-3 && missed[1] < 0.01 && missed[2] < 0.05 ? 0 : 1;
}
