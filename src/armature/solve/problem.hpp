// One question for a solver: a model, goals, and what may move how far.
//
//   solve({.model = panda, .goals = {PoseGoal{.link = "panda_tcp", .target = X}}, .locked = {"panda_joint1"}})
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "armature/kinematics/bodies.hpp"
#include "armature/kinematics/obstacles.hpp"
#include "armature/solve/goal.hpp"

namespace armature::inline v0_2 {

/// What is done about bodies that touch: answers that touch are no answers and the search goes on, or nothing.
enum class Collision { search, off };
const char* collision_name(Collision collision);

struct Problem {
  Model model{};
  std::vector<Goal> goals{};
  VecX start{};   // pose that the search starts from; empty: start_pose(model)
  LinkRef tip{};  // link of goals that name none; empty: the model's effector

  std::vector<JointRef> locked{};    // joints that must not move
  JointMap<double> joint_weights{};  // >= 0: 0 stays, 1 is the default, more moves more readily
  JointMap<Limits> limits{};         // of this call, as in a model; what is left empty is the model's

  // What must not touch; see kinematics/clearance.hpp.
  std::vector<Obstacle> obstacles{};
  double margin = 0.0;                     // kept between bodies, and to obstacles; metres, >= 0
  std::optional<Collision> collision{};    // left out: search where there are obstacles or a margin
  std::shared_ptr<const Bodies> bodies{};  // compiled ones; null: those of compile_bodies(model), made when needed

  bool avoids_collisions() const {
    return collision.value_or(obstacles.empty() && margin <= 0.0 ? Collision::off : Collision::search) ==
           Collision::search;
  }
};

/// Names exist, sizes agree, goals are sound, limits not reversed: or a sentence that says what is wrong.
Status check_problem(const Problem& problem);

/// Limits per coordinate: the model's with those of the problem in their place, or what is wrong with these.
Status limits_of(const Problem& problem, VecX& lower, VecX& upper);
/// The same of velocities: one number per velocity, inf where nothing limits.
Result<VecX> velocity_limits_of(const Model& model, const JointMap<Limits>& given);
/// Joint weights per velocity, 0 for locked joints; empty when all are 1.
Status joint_weights_of(const Problem& problem, VecX& weights);

}  // namespace armature::inline v0_2
