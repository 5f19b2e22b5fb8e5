// Retiming by parts, for those who change the frames of a retimed motion and find that some are too fast.
#pragma once

#include <vector>

#include "armature/motion/retime.hpp"

namespace armature::inline v0_2 {

/// retime(), at `pace` (one number per frame of the clip, above 0 and at most 1; in between linear) times the speed
/// that the limits allow. Empty: 1.
Result<Retimed> retime_paced(const Model& model, const Clip& clip, const RetimeOptions& options,
                             const std::vector<double>& pace);

/// motion_ratios(), and of each frame what its clock would have to be slower for the limits to hold there: of the step
/// that leads to it, and of the change of speed at the frame before. One more than frames, for the rest after the last.
MotionRatios motion_ratios(const Model& model, const Clip& clip, const VecX& velocity, const VecX& acceleration,
                           std::vector<double>& over);

}  // namespace armature::inline v0_2
