// A problem's rows at a pose.
#pragma once

#include "armature/solve/stack.hpp"

namespace armature::inline v0_2 {

struct PoseRows {
  CompiledProblem compiled;
  Stack stack;
  bool ok = false;

  PoseRows(const Problem& problem, const VecX& q, const SolveOptions& options = {}) {
    compiled.closes_loops = true;  // what is measured here does not move
    ok = !problem.goals.empty() && q.allFinite() && compiled.interpret(problem, options).ok();
    if (!ok) return;
    stack.prepare(compiled);
    stack.evaluate(q.data());
    stack.differentiate();
  }
  bool any() const { return ok && stack.rows() > 0 && stack.columns() > 0; }
};

}  // namespace armature::inline v0_2
