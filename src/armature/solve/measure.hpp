// A pose judged without a search: how far it is from the goals, how well it can move, where it can still move freely.
#pragma once

#include "armature/kinematics/measures.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"
#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

/// Of the goals' Jacobian at a pose, angle rows scaled to lengths. Empty where nothing can be measured.
Measures measures(const Problem& problem, const VecX& q);

/// The report of a solve that ends where it begins: errors, goals, limits, measures. `refused` where the problem is
/// not sound.
Report measure(const Problem& problem, const VecX& q, const SolveOptions& options = {});

/// One column per direction in which the pose can move while every goal keeps its error and every loop that ties the
/// goals stays closed: v_size rows.
MatX null_space(const Problem& problem, const VecX& q);

}  // namespace armature::inline v0_2
