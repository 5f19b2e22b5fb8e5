// What a game pays per frame for limbs and looks against a State that is there: a character of 70 links, as LimbIk and
// LookIk pose it. Published beside it: ozz-animation's two-bone job, 0.17 us.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "armature/base/index.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/limb_ik.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"

namespace {

using namespace armature;

Model character() {
  Linkage l;
  const auto bone = [&](const std::string& name, const std::string& parent, const JointType& type, const Vec3& offset) {
    l.links.push_back({name, {}});
    Joint joint;
    joint.name = name + "_joint";
    joint.type = type;
    joint.parent = parent;
    joint.child = name;
    joint.origin = Transform::translate(offset);
    l.joints.push_back(joint);
  };
  bone("hips", "", Free{}, Vec3(0, 0, 1));
  bone("spine", "hips", Spherical{}, Vec3(0, 0, 0.2));
  bone("chest", "spine", Spherical{}, Vec3(0, 0, 0.2));
  bone("neck", "chest", Spherical{}, Vec3(0, 0, 0.2));
  bone("head", "neck", Spherical{}, Vec3(0, 0, 0.1));
  for (const double side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "l_" : "r_";
    bone(s + "thigh", "hips", Spherical{}, Vec3(0, 0.1 * side, 0));
    bone(s + "shin", s + "thigh", Spherical{}, Vec3(0.02, 0, -0.45));
    bone(s + "foot", s + "shin", Spherical{}, Vec3(-0.02, 0, -0.45));
    bone(s + "toe", s + "foot", Spherical{}, Vec3(0.15, 0, -0.07));
    bone(s + "clavicle", "chest", Spherical{}, Vec3(0, 0.05 * side, 0.15));
    bone(s + "arm", s + "clavicle", Spherical{}, Vec3(0, 0.15 * side, 0));
    bone(s + "forearm", s + "arm", Spherical{}, Vec3(0, 0.3 * side, 0));
    bone(s + "hand", s + "forearm", Spherical{}, Vec3(0, 0.25 * side, 0));
    for (int finger = 0; finger < 5; ++finger) {
      std::string parent = s + "hand";
      for (int k = 0; k < 5; ++k) {
        const std::string name = s + "finger" + std::to_string(finger) + std::to_string(k);
        bone(name, parent, Spherical{}, Vec3(0, 0.03 * side, 0.01 * (finger - 2)));
        parent = name;
      }
    }
  }
  return compile(l).value();
}

void forward_whole(benchmark::State& run) {
  const Model model = character();
  const VecX q = neutral_pose(model);
  State state;
  for (auto _ : run) {
    forward(model, q, state);
    benchmark::DoNotOptimize(state.X_WL.data());
  }
}
BENCHMARK(forward_whole);

// range(0): hundredths of the leg; 110 is out of reach and must cost the same.
void foot(benchmark::State& run) {
  const Model model = character();
  const LimbIk leg = LimbIk::make(model, "l_thigh", "l_shin", "l_foot").value();
  VecX q = neutral_pose(model);
  State state = forward(model, q);
  const Vec3 hip = state.X_WL[at(model.link("l_thigh"))].position;
  const double reach = 0.009 * static_cast<double>(run.range(0));
  double t = 0.0;
  for (auto _ : run) {
    t += 0.1;
    benchmark::DoNotOptimize(leg.reach(hip + reach * Vec3(0.1 * std::sin(t), 0.1, -0.99), {}, q.data(), state));
  }
}
BENCHMARK(foot)->Arg(80)->Arg(100)->Arg(110);

void foot_on_ground(benchmark::State& run) {
  const Model model = character();
  const LimbIk leg = LimbIk::make(model, "l_thigh", "l_shin", "l_foot").value();
  const int toe = model.link("l_toe");
  VecX q = neutral_pose(model);
  State state = forward(model, q);
  double t = 0.0;
  for (auto _ : run) {
    t += 0.1;
    const Vec3 heel(0.1 * std::sin(t), 0.1, 0.1);
    benchmark::DoNotOptimize(
        leg.stand({heel, heel + Vec3(0.2, 0, 0.05), Vec3::UnitZ(), toe, 0.08, 0.01}, {}, q.data(), state));
  }
}
BENCHMARK(foot_on_ground);

void whole_character(benchmark::State& run) {  // two feet, a hand, a look
  const Model model = character();
  const LimbIk left = LimbIk::make(model, "l_thigh", "l_shin", "l_foot").value();
  const LimbIk right = LimbIk::make(model, "r_thigh", "r_shin", "r_foot").value();
  const LimbIk hand = LimbIk::make(model, "l_arm", "l_forearm", "l_hand").value();
  const LookIk look = LookIk::make(model, {model.link("neck"), model.link("head")}).value();
  VecX q = neutral_pose(model);
  State state = forward(model, q);
  double t = 0.0;
  for (auto _ : run) {
    t += 0.1;
    const Vec3 sway(0.1 * std::sin(t), 0.0, 0.0);
    left.reach(Vec3(0.1, 0.1, 0.15) + sway, {}, q.data(), state);
    right.reach(Vec3(-0.1, -0.1, 0.15) - sway, {}, q.data(), state);
    hand.reach(Vec3(0.3, 0.3, 1.4) + sway, {}, q.data(), state);
    benchmark::DoNotOptimize(look.look(Vec3(3, 1, 1.5) + 5.0 * sway, {}, q.data(), state));
  }
}
BENCHMARK(whole_character);

}  // namespace
