// Joints of a mechanism that move by a constant ratio of one drive, wherever it stands: sides of parallelograms, gears.
// A format without loops keeps them exactly, as joints that mimic the drive.
#pragma once

#include <string>
#include <vector>

#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

struct LinearFollower {
  std::string joint;
  std::string source;  // the drive
  double multiplier = 0.0;
  double offset = 0.0;  // joint = multiplier * source + offset
};

/// Found by driving each drive of an assembled pose there and back with the others held, and compared at every value.
/// Only joints of one coordinate that a single drive moves. Empty where nothing assembles.
std::vector<LinearFollower> linear_followers(const Model& model);

}  // namespace armature::inline v0_2
