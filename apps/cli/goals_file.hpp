// Goals as JSON: a list of objects, one per goal, whose keys are the fields that each goal type describes.
//
//   [{"type": "pose", "link": "left_hand", "target": {"position": [0.3, 0.2, 1.1], "rpy": [0, 1.57, 0]},
//     "orientation_axes": {"free": "z", "frame": "goal"}},
//    {"type": "aim", "link": "head", "direction": [1, 0, 0], "target": [2, 0, 1.5], "priority": 1},
//    {"type": "posture", "desired": {"left_elbow": 0.5}}]
//
// The types and their fields are those of solve/goal_types.hpp; docs/goals.md shows each.
#pragma once

#include <string_view>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/solve/goal.hpp"

namespace armature::cli {

/// The goals, or a sentence that names the goal and the field that is wrong.
Result<std::vector<Goal>> read_goals(const Model& model, std::string_view json);

}  // namespace armature::cli
