// The shortest rotation from one direction to another.
#pragma once

#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

/// Turns `a` to the direction of `b`, of any lengths; exact to rounding up to opposite directions, where the axis is
/// across z, or x for z itself. Eigen's FromTwoVectors loses half of the digits there, and takes a singular value
/// decomposition along into each source: six seconds of compilation.
Quat quaternion_between(const Vec3& a, const Vec3& b);

}  // namespace armature::inline v0_2
