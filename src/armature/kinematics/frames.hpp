// Points, directions and transforms from any frame to any other. Link -1 is the world.
#pragma once

#include "armature/kinematics/state.hpp"
#include "armature/model/refs.hpp"

namespace armature::inline v0_2 {

/// Pose of frame `b` seen from frame `a`: up, down and across the tree.
Transform relative(const State& state, int a, int b);

Vec3 convert_point(const State& state, int from, int to, const Vec3& point);
Vec3 convert_direction(const State& state, int from, int to, const Vec3& direction);

}  // namespace armature::inline v0_2
