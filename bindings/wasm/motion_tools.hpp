// Clip tools and the workspace of a model as JavaScript asks for them: each is one function of the core.
#pragma once

#include "model_handle.hpp"

namespace armature::js {

/// {clip, notes}: one tool by its name and argument, as on the command line ("trim", "1..2.5"). `other`: the motion
/// that `concat` and `layer` need, which their argument names "other".
val clip_tool(const ModelHandle& model, const val& clip, const std::string& tool, const std::string& argument,
              const val& other);
/// What can be measured of a motion: travel, speeds, where feet stand.
std::string clip_stats(const ModelHandle& model, const val& clip);

/// {tip, base, point, cells, samples, orientations, seed} to {grid, reachable, dexterity, volume, ...}.
val workspace_of(const ModelHandle& model, const val& options);

}  // namespace armature::js
