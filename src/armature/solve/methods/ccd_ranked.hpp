// Coordinate descent by rank: every joint's best change is worked out, the most useful joint is changed, and so on.
// One iteration is one joint. How joints are ranked is a choice.
#pragma once

#include <vector>

#include "armature/solve/loop.hpp"
#include "armature/solve/method_options.hpp"
#include "armature/solve/methods/coordinate_descent.hpp"

namespace armature::inline v0_2 {

inline constexpr MethodInfo kCcdRankedInfo{"ccd_ranked", "Ranked coordinate descent",
                                           "Heuristic",  "One joint at a time, the most useful first.",
                                           "#5c8a12",    "12 3 2 3 2 3",
                                           'D'};

class CcdRanked final : public MethodWith<CcdRankedOptions> {
 public:
  const MethodInfo& info() const override { return kCcdRankedInfo; }
  Status check(const Problem& problem) const override;
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;

 private:
  double rank(const Stack& stack, std::size_t handle, const Change& change, const double* q) const;

  Loop loop_;
  CoordinateDescent descent_;
  std::vector<int> last_used_;  // iteration, per handle; -1: never
};

}  // namespace armature::inline v0_2
