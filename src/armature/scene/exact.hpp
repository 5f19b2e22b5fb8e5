// The bodies of a model with its meshes, and (exact) the shapes that decide where the bodies touch.
#pragma once

#include <string>
#include <vector>

#include "armature/kinematics/exact_shapes.hpp"
#include "armature/scene/obstacles_json.hpp"

namespace armature::inline v0_2 {

/// Bodies around the shapes of the model (not those of its file, which need not hold them), and the shapes at the end
/// of `obstacles`. The error says that there is nothing to ask.
Result<Bodies> exact_bodies(const Model& model, BodyOptions options, std::vector<Obstacle>& obstacles);

/// Gives a problem the bodies of its model with their meshes, and the shapes where `exact`.
Status use_bodies(Problem& problem, const MeshLoader& load_mesh, bool exact, std::vector<std::string>& notes);

/// How often bodies touch in random poses where the shapes do not; no poses where there are no shapes to ask.
Result<FalseAlarms> count_false_alarms(const Model& model, const Bodies& bodies, const BodyOptions& options, int poses);

}  // namespace armature::inline v0_2
