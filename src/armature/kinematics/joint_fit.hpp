// The way back from motion to coordinates: which coordinates give a joint this articulation.
#pragma once

#include "armature/model/joint.hpp"

namespace armature::inline v0_2 {

/// Coordinates whose joint_transform() is nearest to `wanted` (exactly, where the joint can do it). Angles are taken in
/// the turn, quaternions in the sign, nearest to `near`, so that motions stay continuous. `q` may be `near`.
void fit_coordinates(const JointType& type, const Transform& wanted, const double* near, double* q);

}  // namespace armature::inline v0_2
