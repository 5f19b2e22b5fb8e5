// A serial chain as the fast kernels see it: plain padded arrays. chain.hpp makes it and says what it means.
#pragma once

#include "armature/base/isa.hpp"

namespace armature::inline v0_2 {

inline constexpr int kMaxChainJoints = 32;
inline constexpr int kChainBlock = 4;  // joints side by side in one register

/// Arrays are padded to whole blocks: a joint that is not there has no axis and no limits, so it never moves anything.
/// Internal units: a length is divided by `length`, a coordinate by its `unit`.
struct alignas(64) Chain {
  Isa isa = Isa::baseline;  // which kernels to use
  int joints = 0;
  int blocks = 0;  // 1, 2, 3, 4 or 8: what kernels are made for
  bool has_prismatic = false;
  double length = 1.0;              // metres per internal unit of length
  double base_rotation[9] = {};     // row-major: the base frame's axes in the caller's base
  double base_translation[3] = {};  // metres
  double tip_rotation[9] = {};      // row-major, after the last joint
  alignas(64) double theta[kMaxChainJoints] = {};
  alignas(64) double cos_twist[kMaxChainJoints] = {};
  alignas(64) double sin_twist[kMaxChainJoints] = {};
  alignas(64) double tx[kMaxChainJoints] = {};
  alignas(64) double ty[kMaxChainJoints] = {};
  alignas(64) double tz[kMaxChainJoints] = {};
  alignas(64) double revolute[kMaxChainJoints] = {};   // 1 or 0
  alignas(64) double prismatic[kMaxChainJoints] = {};  // 1 or 0
  alignas(64) double unit[kMaxChainJoints] = {};       // radians or metres per internal unit
};

/// Ranges of the joints in internal units: infinite where there is none.
struct alignas(64) ChainRange {
  alignas(64) double lower[kMaxChainJoints];
  alignas(64) double upper[kMaxChainJoints];
  alignas(64) double middle[kMaxChainJoints];  // always finite
  alignas(64) double span[kMaxChainJoints];    // always finite: what random starts are drawn from
  alignas(64) double turn[kMaxChainJoints];    // 2 pi where a full turn is the same pose, else 0
};

/// The pose of the tip in the base and, unless null, its 6 x n Jacobian (column-major, linear then angular rows,
/// metres and radians, base axes).
using ChainForward = void (*)(const Chain& chain, const double* q, double* rotation_row_major, double* translation,
                              double* jacobian);

}  // namespace armature::inline v0_2
