// Proofs that a goal is out of reach, from link lengths alone: cheap, and never wrong when they say so.
#pragma once

#include "armature/solve/compiled_problem.hpp"

namespace armature::inline v0_2 {

struct BoundProof {
  ReachBound bound = ReachBound::none;
  double bound_length = 0.0;   // the reach, or the radius of the hole
  double goal_distance = 0.0;  // of the goal from the first moving joint
};

/// Looks at the position and pose goals in the world's frame and proves the first it can. The point stays within the
/// sum of the distances between moving joints, and, where nothing slides, outside a sphere when one of them is longer
/// than all the others together.
BoundProof prove_unreachable(const CompiledProblem& problem);
BoundProof prove_unreachable(const CompiledProblem& problem, const CompiledGoal& goal);

}  // namespace armature::inline v0_2
