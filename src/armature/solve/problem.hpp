// One question for a solver: a model, goals, and what may move how far.
#pragma once

#include <vector>

#include "armature/solve/goal.hpp"

namespace armature {

struct Problem {
  Model model;
  std::vector<Goal> goals;
  VecX start;  // pose that the search starts from; empty: start_pose(model)

  std::vector<char> locked;  // per velocity, non-zero: must not move; empty: none
  VecX mobility;             // per velocity, >= 0: how willingly it moves (joint weights); empty: 1 for all
  VecX lower, upper;         // per coordinate: limits of this call; empty: the model's

  // Control term (eqs 5.25-5.31): in the null space the pose is drawn to `rest`.
  VecX gain;  // per velocity; empty: no control term
  VecX rest;  // desired pose; empty: neutral
};

/// Sizes agree, goals are sound, limits not reversed: or a sentence that says what is wrong.
Status check_problem(const Problem& problem);

}  // namespace armature
