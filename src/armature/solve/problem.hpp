// One question for a solver: a model, goals, and what may move how far.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "armature/kinematics/bodies.hpp"
#include "armature/kinematics/obstacles.hpp"
#include "armature/solve/goal.hpp"

namespace armature {

/// What is done about bodies that touch: answers that touch are no answers and the search goes on, or nothing.
enum class Collision { search, off };
const char* collision_name(Collision collision);

struct Problem {
  const Model* model = nullptr;
  std::vector<Goal> goals;

  std::vector<char> locked;  // per velocity, non-zero: must not move; empty: none
  VecX mobility;             // per velocity, >= 0: how willingly it moves (joint weights); empty: 1 for all
  VecX lower, upper;         // per coordinate: limits of this call; empty: the model's

  // Control term (eqs 5.25-5.31): in the null space the pose is drawn to `rest`.
  VecX gain;  // per velocity; empty: no control term
  VecX rest;  // desired pose; empty: neutral

  // What must not touch; see kinematics/clearance.hpp.
  std::vector<Obstacle> obstacles;
  double margin = 0.0;                   // kept between bodies, and to obstacles; metres, >= 0
  std::optional<Collision> collision;    // left out: search where there are obstacles
  std::shared_ptr<const Bodies> bodies;  // compiled ones; null: those of compile_bodies(model), made when needed

  bool avoids_collisions() const {
    return collision.value_or(obstacles.empty() ? Collision::off : Collision::search) == Collision::search;
  }
};

/// Sizes agree, goals are sound, limits not reversed: or a sentence that says what is wrong.
Status check_problem(const Problem& problem);

}  // namespace armature
