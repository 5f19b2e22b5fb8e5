// Figures by their links' names: which link is the left thigh, the pelvis, the neck. Names of motion files and of
// models differ ("LeftUpLeg", "lThigh", "left_thigh", "LeftHip"); what they mean seldom does.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

/// Link indices, -1 where there is none. Of arms: collar, upper, lower, end (hand); of legs: upper, lower, end (foot),
/// toe.
struct FigureLimb {
  int collar = -1, upper = -1, lower = -1, end = -1, toe = -1;
  /// All three parts in line: what inverse kinematics needs.
  bool whole() const { return upper >= 0 && lower >= 0 && end >= 0; }
};

struct Figure {
  int pelvis = -1;
  std::vector<int> spine;  // from the pelvis upwards
  int neck = -1, head = -1;
  FigureLimb arm[2], leg[2];  // left, right
};

/// The best guess from names and ancestry.
Figure guess_figure(const Model& model);

/// Which link of the target takes its turning from which link of the source, by name.
using BoneMap = std::vector<std::pair<std::string, std::string>>;  // target, source

/// Bones of the same meaning; spines of different lengths are spread over each other.
BoneMap guess_bone_map(const Model& source, const Model& target);

}  // namespace armature::inline v0_2
