// Obstacles in a scene's JSON and in files of their own, and the bodies of a model with its meshes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "armature/kinematics/bodies.hpp"
#include "armature/kinematics/obstacles.hpp"
#include "armature/scene/json_input.hpp"
#include "armature/scene/json_text.hpp"
#include "armature/scene/load.hpp"
#include "armature/solve/problem.hpp"

namespace armature::inline v0_2 {

using MeshLoader = std::function<Result<std::vector<Triangle>>(const std::string& uri)>;

/// [{"name", "shape": {"type", ...}, "origin", "link"}]. `mesh` opens {"type": "mesh", "uri"}; null: refused.
bool read_obstacles(JsonFields& fields, Value list, const Model& model, const MeshLoader& mesh,
                    std::vector<Obstacle>& out);
/// The members "bodies", "pairs" and "ignored_pairs" of an object that is open.
void write_bodies(JsonText& json, const Model& model, const Bodies& bodies);
void write_obstacles(JsonText& json, const std::vector<Obstacle>& obstacles);

/// From a file with the list, or with an object that has it under "obstacles"; meshes lie beside it. "-": standard
/// input. Links that carry one are looked for in the model; without one, when the problem is solved.
Result<std::vector<Obstacle>> load_obstacles(const std::string& path, const Model& model = {});

/// Obstacles and a margin in millimetres beside a model in metres.
void note_units(const Problem& problem, std::vector<std::string>& notes);

Result<Collision> parse_collision(std::string_view word);

/// Opens the meshes that a model names, below its folder or mesh_root.
MeshLoader meshes_beside(const Beside& beside);
/// The same, first among the files that came along with it.
MeshLoader meshes_of(const LoadedModel& loaded);

}  // namespace armature::inline v0_2
