#include "armature/solve/solver.hpp"

#include "armature/kinematics/defaults.hpp"

namespace armature::inline v0_2 {

const Report& Solver::solve(const Problem& problem, Trace* trace) {
  if (problem.start.size() > 0 || problem.model.empty()) return run(problem, problem.start, trace);
  if (start_of_ != problem.model) {
    start_of_ = problem.model;
    start_ = start_pose(problem.model);
  }
  return run(problem, start_, trace);
}

}  // namespace armature::inline v0_2
