// For tests that care about the report and then about the pose, or that go on from the last answer.
#pragma once

#include "armature/solve/solver.hpp"

namespace armature::test {

/// Solves from q and leaves the answer there.
inline const Report& solve_in_place(Method& solver, const Problem& problem, VecX& q) {
  const Report& report = solver.solve(problem, q);
  q = report.q;
  return report;
}

}  // namespace armature::test
