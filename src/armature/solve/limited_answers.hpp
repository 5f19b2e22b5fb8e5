// Answers of a chain as poses inside limits: every full turn that fits, the nearest to the start first.
#pragma once

#include "armature/kinematics/analysis.hpp"

namespace armature::inline v0_2 {

/// A choice of full turns for one answer.
struct LimitedAnswer {
  int answer = 0;
  double distance = 0.0;  // to the start, radians and fractions of a quarter of the chain's length
  double value[kMaxAnalyticJoints];
};

inline constexpr int kMaxLimited = 256;
struct LimitedAnswers {
  int count = 0;
  bool cut = false;  // there were more
  LimitedAnswer item[kMaxLimited];
};

/// Every variant of every answer inside limits (a joint without limits: the turn nearest to the start), ascending by
/// distance; at most `max_count` of the nearest. Does not allocate.
void within_limits(const ChainAnalysis& analysis, const ChainAnswers& answers, const double* lower, const double* upper,
                   const double* start, int max_count, LimitedAnswers& out);

/// The variant of one answer inside limits that is joint by joint nearest to `target`; false: there is none.
bool nearest_variant(const ChainAnalysis& analysis, const ChainAnswers& answers, int answer, const double* lower,
                     const double* upper, const double* target, double* value);

}  // namespace armature::inline v0_2
