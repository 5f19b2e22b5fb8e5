// Proofs that a goal is out of reach, from link lengths alone: cheap, and never wrong when they say so.
#pragma once

#include "armature/solve/compiled_problem.hpp"

namespace armature::inline v0_2 {

/// Looks at the position and pose goals in the world's frame and proves the first it can. The point stays within the
/// sum of the distances between moving joints, and, where nothing slides, outside a sphere when one of them is longer
/// than all the others together. `q`: any pose of the search, from which the places of locked joints are taken.
std::optional<Proof> prove_unreachable(const CompiledProblem& problem, const double* q);
std::optional<Proof> prove_unreachable(const CompiledProblem& problem, const CompiledGoal& goal, const double* q);

}  // namespace armature::inline v0_2
