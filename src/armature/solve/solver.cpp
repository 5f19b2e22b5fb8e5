#include "armature/solve/solver.hpp"

#include "armature/kinematics/defaults.hpp"
#include "armature/solve/methods/auto.hpp"

namespace armature::inline v0_2 {

const Report& Method::solve(const Problem& problem, Trace* trace) {
  if (problem.start.size() > 0 || problem.model.empty()) return run(problem, problem.start, trace);
  if (start_of_ != problem.model) {
    start_of_ = problem.model;
    start_ = start_pose(problem.model);
  }
  return run(problem, start_, trace);
}

Solver::Solver() : method_(std::make_unique<Auto>()) {}

Solver::Solver(std::unique_ptr<Method> method, const SolveOptions& common) : method_(std::move(method)) {
  const int own = method_->common_options().max_iterations;
  method_->common_options() = common;
  if (common.max_iterations < 0) method_->common_options().max_iterations = own;
}

}  // namespace armature::inline v0_2
