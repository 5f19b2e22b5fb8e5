// A four-bar through a turn, with its coupler curve; then a rocker driven into its dead point.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

int main() {
  const Model bar = load_model("four_bar").value();
  const DriveReport turn = drive(bar, {.joint = "crank", .to = 2 * kPi, .from = 0, .frames = 361}).value();
  const std::vector<Vec3> curve = trail(turn.clip, "coupler", {1.4, 1.2, 0});
  std::cout << turn.message() << '\n';  // reached, or where the dead point is and which bars are in line
  save("four_bar.svg", draw(turn.clip, {.trail = {{"coupler", {1.4, 1.2, 0}}}}).value()).value();
  std::cout << "the coupler's point goes " << curve.size() << " places, from " << curve.front().transpose()
            << " and back to " << curve.back().transpose() << '\n';

  const DriveReport stop = drive(bar, {.joint = "rocker_pin", .to = 4}).value();
  std::cout << stop.message() << '\n';
  return turn.ok() && (curve.front() - curve.back()).norm() < 1e-9 && stop.outcome == DriveOutcome::dead_point ? 0 : 1;
}
