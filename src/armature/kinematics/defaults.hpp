// What is meant when nothing is said: the pose a search starts from, the link that should arrive.
#pragma once

#include <string>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

/// The model's pose `chapter`, `ready` or `rest`, in this order, else the middle of its limits. With loops: its first
/// pose rather than the middle, and closed.
VecX start_pose(const Model& model);

/// What the joints stand at that a pose does not name: the neutral pose, and with loops start_pose(), which closes
/// them.
VecX default_pose(const Model& model);

/// The first of the effectors that the model names, else its only end, else the end called tool0 (ROS-Industrial's name
/// for the tool frame of an arm); the error lists the ends. A choice among several is told in `notes`.
Result<int> default_tip(const Model& model);
Result<int> default_tip(const Model& model, std::vector<std::string>& notes);

/// Whether everything moves in planes parallel to the world's x-y plane, the links' origins in one of them.
bool is_planar(const Model& model);

/// "world" or a link.
Result<int> frame_index(const Model& model, std::string_view name);

}  // namespace armature::inline v0_2
