// Where bodies come from: the file's own, shapes for collision, visuals, or the bones. Used by compile_bodies.
#pragma once

#include "armature/kinematics/bodies.hpp"

namespace armature::inline v0_2 {

/// Bodies of all links, and notes about what was guessed.
Result<std::vector<Body>> gather_bodies(const Model& model, const BodyOptions& options,
                                        std::vector<std::string>& notes);

}  // namespace armature::inline v0_2
