// Where bodies come from: the file's own, shapes for collision, visuals, or the bones. Used by compile_bodies. And the
// shapes themselves.
#pragma once

#include "armature/kinematics/bodies.hpp"
#include "armature/kinematics/obstacles.hpp"

namespace armature::inline v0_2 {

/// Bodies of all links, and notes about what was guessed.
Result<std::vector<Body>> gather_bodies(const Model& model, const BodyOptions& options,
                                        std::vector<std::string>& notes);

/// The shapes that bodies are made around, as obstacles that exact_shapes.hpp knows as shapes of their links. Links of
/// which one shape cannot be used (a mesh that is not read, a sheared cylinder) are left out, with a note: there the
/// bodies decide.
std::vector<Obstacle> link_shapes(const Model& model, const BodyOptions& options, std::vector<std::string>& notes);

}  // namespace armature::inline v0_2
