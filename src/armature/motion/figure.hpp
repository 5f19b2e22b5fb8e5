// Figures: which link is the left thigh, the pelvis, the neck. Names of motion files and of models differ ("LeftUpLeg",
// "lThigh", "left_thigh", "LeftHip"); what they mean seldom does, and where they mean nothing the tree itself tells:
// two pairs of like limbs, of which the legs are nearer to the root.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

/// Link indices, -1 where there is none. Of arms: collar, upper, lower, end (hand); of legs: upper, lower, end (foot),
/// toe. `center` is the link whose origin is the limb's first joint: `upper`, unless hinges in a row make that joint.
struct FigureLimb {
  int collar = -1, upper = -1, lower = -1, end = -1, toe = -1;
  int center = -1;
  /// All three parts in line: what inverse kinematics needs.
  bool whole() const { return upper >= 0 && lower >= 0 && end >= 0; }
};

struct Figure {
  int pelvis = -1;
  std::vector<int> spine;  // from the pelvis upwards
  int neck = -1, head = -1;
  FigureLimb arm[2], leg[2];  // left, right
  bool has_legs() const { return leg[0].whole() && leg[1].whole(); }
  bool has_arms() const { return arm[0].whole() && arm[1].whole(); }
};

/// The best guess: from names, and from the tree where they leave limbs open.
Figure guess_figure(const Model& model);
/// From names alone (the table of bone_names.inl), or from the tree and its lengths alone.
Figure figure_from_names(const Model& model);
Figure figure_from_tree(const Model& model);

/// Which link of the target takes its turning from which link of the source, by name.
using BoneMap = std::vector<std::pair<std::string, std::string>>;  // target, source

/// Bones of the same meaning; spines of different lengths are spread over each other. Fingers by their names.
BoneMap guess_bone_map(const Model& source, const Model& target);

/// Two figures that a map pairs: what one side's names or tree say of a bone holds for the bone that it is mapped to.
/// Parts that the map leaves out are left out of both.
struct MappedFigures {
  Figure source, target;
  std::vector<std::pair<int, int>> others;  // target, source: pairs that are no part of the figures (fingers, props)
};
Result<MappedFigures> map_figures(const Model& source, const Model& target, const BoneMap& map);

}  // namespace armature::inline v0_2
