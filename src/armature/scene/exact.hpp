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

/// The bodies of a model with its meshes, and with its shapes where `exact`; found once.
Result<FoundBodies> bodies_of(const LoadedModel& loaded, bool exact = false);

/// Gives a problem that avoids collisions the bodies of its model, and the shapes where `exact`, in place of those that
/// it has. read_scene does so; again after a change of obstacles, collision or exact.
Status use_bodies(Problem& problem, const LoadedModel& loaded, bool exact, std::vector<std::string>& notes);

/// What comes near what at a pose, by names: for people and other languages. With `exact` distances are those of the
/// shapes, where both have some.
class NamedClearance {
 public:
  struct Pair {
    std::string a, b;
    Nearest nearest;
  };
  Status prepare(const LoadedModel& loaded, const std::vector<Obstacle>& obstacles, bool exact);
  /// Pairs that are nearer than `within`, nearest first; returns the smallest distance, or `within`.
  double nearest(const VecX& q, double within, std::vector<Pair>& pairs);

 private:
  Clearance clearance_;
  ExactShapes shapes_;
  std::vector<NearPair> near_;
};

/// How often bodies touch in random poses where the shapes do not; no poses where there are no shapes to ask.
Result<FalseAlarms> count_false_alarms(const Model& model, const Bodies& bodies, const BodyOptions& options, int poses);

}  // namespace armature::inline v0_2
