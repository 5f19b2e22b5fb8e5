// How good a retargeted motion is, from the tracks of both figures.
#pragma once

#include "armature/motion/retarget.hpp"
#include "armature/motion/retarget_plan.hpp"

namespace armature::inline v0_2 {

/// Fills the report, the footfalls and the largest slide.
void measure_retarget(const FigureTracks& source, const FigureTracks& target, const RetargetPlan& plan,
                      Retargeted& result);

}  // namespace armature::inline v0_2
