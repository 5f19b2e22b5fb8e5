// One question for a solver: a model, goals, and what may move how far.
//
//   solve({.model = panda, .goals = {PoseGoal{.link = "panda_tcp", .target = X}}, .locked = {"panda_joint1"}})
#pragma once

#include <vector>

#include "armature/solve/goal.hpp"

namespace armature {

struct Problem {
  Model model{};
  std::vector<Goal> goals{};
  VecX start{};   // pose that the search starts from; empty: start_pose(model)
  LinkRef tip{};  // link of goals that name none; empty: the model's effector

  std::vector<JointRef> locked{};    // joints that must not move
  JointMap<double> joint_weights{};  // >= 0: 0 stays, 1 is the default, more moves more readily
  JointMap<Limits> limits{};         // of this call, as in a model; what is left empty is the model's
};

/// Names exist, sizes agree, goals are sound, limits not reversed: or a sentence that says what is wrong.
Status check_problem(const Problem& problem);

/// Limits per coordinate: the model's with those of the problem in their place, or what is wrong with these.
Status limits_of(const Problem& problem, VecX& lower, VecX& upper);
/// Joint weights per velocity, 0 for locked joints; empty when all are 1.
Status joint_weights_of(const Problem& problem, VecX& weights);

}  // namespace armature
