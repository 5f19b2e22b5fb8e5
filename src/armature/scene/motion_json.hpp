// Motion in a scene: the path that a goal's target takes, and key poses (docs/formats/motion_files.md).
#pragma once

#include "armature/motion/keyframes.hpp"
#include "armature/scene/goal_json.hpp"

namespace armature::inline v0_2 {

/// The object under a goal's `path`, into the goal. `has_target`: the goal also names a target, which a line without
/// points leads to.
bool read_path(JsonFields& fields, Value value, bool has_target, const GoalContext& context, Goal& goal);

void write_path(JsonText& json, const Path& path);

/// The object under `keys`.
bool read_keys(JsonFields& fields, Value value, const Model& model, std::vector<std::string>& notes, Keyframes& keys);

}  // namespace armature::inline v0_2
