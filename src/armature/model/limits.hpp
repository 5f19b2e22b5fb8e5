// Limits of one joint. Empty vectors mean "none"; infinities are allowed.
#pragma once

#include <optional>
#include <vector>

#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

/// Of a spherical (or free) joint: how far `axis` (in the child's frame) may swing from its neutral direction, and how
/// far the child may turn about it. Radians.
struct ConeLimit {
  Vec3 axis = Vec3::UnitZ();
  double swing = kPi;         // largest swing, in [0, pi]
  double twist_lower = -kPi;  // in [-pi, pi]
  double twist_upper = kPi;
};

struct Limits {
  std::vector<double> lower{};  // per coordinate; quaternions have none (their entries are ignored)
  std::vector<double> upper{};
  std::vector<double> velocity{};  // per velocity, >= 0
  std::vector<double> effort{};    // force or torque per velocity, >= 0; kept for files, nothing here computes with it
  std::optional<ConeLimit> cone{};
};

}  // namespace armature::inline v0_2
