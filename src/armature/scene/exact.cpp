#include "armature/scene/exact.hpp"

#include "armature/kinematics/body_sources.hpp"
#include "armature/model/compile.hpp"

namespace armature::inline v0_2 {

Result<Bodies> exact_bodies(const Model& model, BodyOptions options, std::vector<Obstacle>& obstacles) {
  std::vector<std::string> notes;
  std::vector<Obstacle> shapes = link_shapes(model, options, notes);
  if (shapes.empty()) {
    return Error{"There are no shapes to ask exactly: the model has none that can be used." +
                 (notes.empty() ? "" : " " + notes.front())};
  }
  Linkage linkage = model.linkage();
  linkage.bodies.clear();
  Result<Model> without = compile(linkage);
  if (!without) return without.error();
  Result<Bodies> bodies = compile_bodies(*without, options);
  if (!bodies) return bodies;
  bodies->notes.insert(bodies->notes.end(), notes.begin(), notes.end());
  for (Obstacle& shape : shapes) obstacles.push_back(std::move(shape));
  return bodies;
}

Status use_bodies(Problem& problem, const MeshLoader& load_mesh, bool exact, std::vector<std::string>& notes) {
  if (exact && !problem.collision) problem.collision = Collision::search;
  if (!problem.avoids_collisions()) return {};
  BodyOptions options;
  options.load_mesh = load_mesh;
  Result<Bodies> bodies =
      exact ? exact_bodies(problem.model, options, problem.obstacles) : compile_bodies(problem.model, options);
  if (!bodies) return bodies.error();
  if (bodies->empty()) return Error{"The model has no bodies: no shapes, and no bones long enough to guess from."};
  notes.insert(notes.end(), bodies->notes.begin(), bodies->notes.end());
  problem.bodies = std::make_shared<const Bodies>(std::move(*bodies));
  return {};
}

Result<FalseAlarms> count_false_alarms(const Model& model, const Bodies& bodies, const BodyOptions& options,
                                       int poses) {
  std::vector<std::string> notes;
  ExactShapes exact;
  if (poses <= 0 || !exact.prepare(model, bodies, link_shapes(model, options, notes))) return FalseAlarms{};
  Clearance clearance;
  if (const Status status = clearance.prepare(model, bodies, {}); !status) return status.error();
  return exact.count_false_alarms(bodies, clearance, poses);
}

}  // namespace armature::inline v0_2
