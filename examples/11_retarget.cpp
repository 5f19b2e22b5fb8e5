// A motion of one figure carried over to another, from file to file.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

int main() {
  // Two files to start from; any BVH and any skinned glTF character will do as well.
  const Model human = load_model("human").value();
  Keyframes keys(human);
  const VecX rest = human.pose("rest");
  VecX bent = rest;
  bent[human.joint("left_elbow").q_index] = 70 * kDegree;
  keys.set_pose(0, rest).value();
  keys.set_pose(1, bent).value();
  keys.set_pose(2, rest).value();
  save("wave.bvh", keys.to_clip(1.0 / 30).value()).value();
  Linkage small = human.linkage();
  scale(small, 0.6).value();
  save("hero.glb", compile(small).value()).value();

  const Clip wave = load_clip("wave.bvh").value();    // a clip knows its model
  const Model hero = load_model("hero.glb").value();  // a model keeps the meshes and skins of its file
  const Retargeted result = retarget(wave, hero, {.keep_hands = false}).value();
  save("hero_wave.glb", result.clip).value();
  std::cout << result.clip.frame_count() << " frames of " << wave.model.name() << " onto " << hero.name()
            << ", the root's travel times " << result.root_scale << '\n';
  return result.clip.frame_count() == wave.frame_count() && load_clip("hero_wave.glb").ok() ? 0 : 1;
}
