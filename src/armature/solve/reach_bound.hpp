// Proofs that a goal is out of reach, from link lengths alone: cheap, and never wrong when they say so.
#pragma once

#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"

namespace armature {

struct BoundProof {
  ReachBound bound = ReachBound::none;
  double bound_length = 0.0;   // the reach, or the radius of the hole
  double goal_distance = 0.0;  // of the goal from the first moving joint
};

/// Looks at one position or pose goal in the world's frame. The point stays within the sum of the distances between
/// moving joints, and, where nothing slides, outside a sphere when one of them is longer than all the others together.
/// `slack`: the tolerance within which the goal would count as reached.
BoundProof prove_unreachable(const Problem& problem, const Goal& goal, double slack);

}  // namespace armature
