// A joint of n degrees of freedom as n joints of one, with links of zero length between them (section 5.1, fig 5.4).
#pragma once

#include <string_view>

#include "armature/base/result.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

/// Replaces the joint by one-coordinate joints "<joint>_1", "<joint>_2", ... and links of the same names between them.
/// A joint of at most one coordinate stays as it is. Cones have no one-coordinate form: they are dropped.
Status expand_joint(Linkage& linkage, std::string_view joint);
/// A screw as a turn "<joint>_1" and a slide "<joint>_2" that follows it, with a link "<joint>_1" between them.
Status expand_screw(Linkage& linkage, std::string_view joint);
/// Every complex joint.
Status expand_joints(Linkage& linkage);

/// The pose of `expanded` (of an expanded linkage) in which all frames are as in `model` at `q`.
VecX expand_pose(const Model& model, const VecX& q, const Model& expanded);

}  // namespace armature::inline v0_2
