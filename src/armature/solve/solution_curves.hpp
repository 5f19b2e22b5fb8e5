// Answers of arms of seven joints: curves, followed from point to point.
#pragma once

#include <vector>

#include "armature/solve/limited_answers.hpp"
#include "armature/solve/problem_chain.hpp"

namespace armature::inline v0_2 {

struct CurvePoint {
  int curve = 0;
  double along = 0.0;  // which point of the curve, 0 to 1 (ChainSolveOptions::along)
  double distance = 0.0;
  double value[kMaxAnalyticJoints];
};

/// `samples` points on each curve inside limits, curve by curve, at most kMaxLimited variants for each sample.
std::vector<CurvePoint> sample_curves(const ProblemChain& chain, ChainSolveOptions how, int samples);

/// The point of each curve that is nearest to the start, the nearest first.
std::vector<CurvePoint> nearest_on_curves(const ProblemChain& chain, const ChainSolveOptions& how);

}  // namespace armature::inline v0_2
