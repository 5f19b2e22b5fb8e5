// What a scene's keys make of it (docs/formats/motion_files.md): at the bottom the motion of the model's file, through
// clip tools; then key poses, blended by their weight; then goals solved for, where their keys have them.
#pragma once

#include "armature/scene/scene.hpp"
#include "armature/solve/keep_clear.hpp"

namespace armature::inline v0_2 {

struct Animation {
  Clip clip;
  std::vector<int> not_reached;  // frames in which a keyed goal was not
  double largest_error = 0.0;    // of a position
  /// Where the scene avoids collisions: what touched, and what still does (its clip is the one above).
  std::optional<ClearMotion> cleared;
};

/// `frame_time` 0: that of the motion below, or the scene's frame rate. `below` stands for the motion of the model's
/// file where it is given. Where there is a motion or a key pose, only goals that have keys are solved for, each frame
/// from its own pose; otherwise each frame from the one before, and goals without keys hold. With `tracking.retime` the
/// motion is on that clock, and goals of full weight are solved for again at its times. Key poses outside the model's
/// limits are gone through as they are. Where the scene avoids collisions frames that touch are moved out of it.
Result<Animation> animate(const Scene& scene, double frame_time = 0.0, const Clip* below = nullptr);

}  // namespace armature::inline v0_2
