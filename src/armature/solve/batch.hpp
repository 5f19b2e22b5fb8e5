// Many goals for one model: each a question of its own, answered together where the method knows how.
//
// `reach` and `auto` answer whole poses of one link side by side in SIMD lanes (methods/reach_chain_batch.cpp); every
// other goal, every other method, and every goal that the lanes do not reach is solved as solver.solve() does it. So
// the outcomes, tolerances and limits are those of single solves. An answer depends on its own goal and seed alone, not
// on its neighbours or their order; of several poses that reach a goal it may be another one than a single solve finds.
#pragma once

#include <span>
#include <vector>

#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

class Batch {
 public:
  /// Column k of `poses` holds the seed of goal k and then its answer; reports[k] says how it ended. `shared` holds
  /// model, limits and locks; its own goals are not read. Goals that the solver's check() refuses end as
  /// Outcome::refused. Allocates only when a batch is larger than those before it, or of another shape.
  void solve(Method& solver, const Problem& shared, std::span<const Goal> goals, MatX& poses,
             std::vector<Report>& reports);

 private:
  Problem problem_;          // `shared` with one goal
  std::vector<char> asked_;  // per goal: it was offered to solve_together()
};

}  // namespace armature::inline v0_2
