// A matrix times a vector for inner loops.
#pragma once

#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

/// R v, added in the order in which Eigen adds. Eigen's own product is not always inlined, and then reads two numbers
/// at a time of a matrix that was just written one by one, which stalls: a fifth of the time of a damped step.
[[gnu::always_inline]] inline Vec3 product(const Mat3& R, const Vec3& v) {
  return {(R(0, 0) * v[0] + R(0, 1) * v[1]) + R(0, 2) * v[2], (R(1, 0) * v[0] + R(1, 1) * v[1]) + R(1, 2) * v[2],
          (R(2, 1) * v[1] + R(2, 2) * v[2]) + R(2, 0) * v[0]};
}

}  // namespace armature::inline v0_2
