#include "armature/scene/exact.hpp"

#include <algorithm>

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

Result<FoundBodies> bodies_of(const LoadedModel& loaded, bool exact) {
  return loaded.bodies.get(exact, [&]() -> Result<FoundBodies> {
    BodyOptions options;
    options.load_mesh = meshes_of(loaded);
    FoundBodies found;
    Result<Bodies> bodies =
        exact ? exact_bodies(loaded.model, options, found.shapes) : compile_bodies(loaded.model, options);
    if (!bodies) return bodies.error();
    if (bodies->empty())
      bodies->notes.push_back("The model has no bodies (no shapes, and no bones long enough to guess from).");
    found.bodies = std::make_shared<const Bodies>(std::move(*bodies));
    return found;
  });
}

Status use_bodies(Problem& problem, const LoadedModel& loaded, bool exact, std::vector<std::string>& notes) {
  std::erase_if(problem.obstacles, is_link_shape);
  problem.bodies.reset();
  if (exact && !problem.collision) problem.collision = Collision::search;
  if (!problem.avoids_collisions()) return {};
  const Result<FoundBodies> found = bodies_of(loaded, exact);
  if (!found) return found.error();
  problem.bodies = found->bodies;
  problem.obstacles.insert(problem.obstacles.end(), found->shapes.begin(), found->shapes.end());
  for (const std::string& note : found->bodies->notes) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
  return {};
}

Status NamedClearance::prepare(const LoadedModel& loaded, const std::vector<Obstacle>& obstacles, bool exact) {
  const Result<FoundBodies> found = bodies_of(loaded, exact);
  if (!found) return found.error();
  std::vector<Obstacle> all = obstacles;
  std::erase_if(all, is_link_shape);
  if (Status status = clearance_.prepare(loaded.model, *found->bodies, all); !status) return status;
  all.insert(all.end(), found->shapes.begin(), found->shapes.end());
  if (exact) shapes_.prepare(loaded.model, *found->bodies, all);
  return {};
}

double NamedClearance::nearest(const VecX& q, double within, std::vector<Pair>& pairs) {
  clearance_.nearest(q.data(), within, near_);
  if (shapes_.ready()) {
    shapes_.place(q.data());
    for (NearPair& pair : near_) pair.nearest = shapes_.nearest(pair, within, false);
    shapes_.nearest_others(within, near_);
    std::erase_if(near_, [&](const NearPair& pair) { return pair.nearest.distance >= within; });
    std::stable_sort(near_.begin(), near_.end(),
                     [](const NearPair& a, const NearPair& b) { return a.nearest.distance < b.nearest.distance; });
  }
  pairs.clear();
  const Model& model = clearance_.model();
  for (const NearPair& near : near_) {
    pairs.push_back({near.carried >= 0 ? clearance_.obstacle_name(near.carried) : model.link_name(near.link_a),
                     near.obstacle >= 0 ? clearance_.obstacle_name(near.obstacle) : model.link_name(near.link_b),
                     near.nearest});
  }
  return near_.empty() ? within : near_.front().nearest.distance;
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
