#include "armature/solve/methods/reach.hpp"

#include <cmath>

namespace armature {
namespace {

// Whether a target lies so far out that squares overflow: no search can say anything of it.
bool beyond_numbers(const CompiledProblem& problem) {
  const double most = 1e100 * problem.model().size();
  for (const CompiledGoal& goal : problem.goals()) {
    if (!goal.required || !goal.framed || !goal.frame.position) continue;
    for (int k = 0; k < 3; ++k) {
      const bool free = goal.frame.position_axes.free[static_cast<std::size_t>(k)];
      if (!free && std::abs(goal.frame.target.translation[k]) > most) return true;
    }
  }
  return false;
}

}  // namespace

const Report& Reach::solve(const Problem& problem, VecX& q, Trace* trace) {
  if (!compiled_.interpret(problem, settings).ok() || q.size() != problem.model->q_size()) {
    refuse(problem, kReachInfo.name, q, report_);
    return report_;
  }
  return solve(compiled_, q, trace);
}

const Report& Reach::solve(CompiledProblem& compiled, VecX& q, Trace* trace) {
  report_.method = kReachInfo.name;
  report_.joints_at_limits.reserve(static_cast<std::size_t>(q.size()));  // so that later solves need not
  report_.blocking.reserve(static_cast<std::size_t>(q.size()));
  if (beyond_numbers(compiled)) {
    measured_ = settings;
    measured_.max_iterations = 0;  // the start is measured, and what can be proved is said
    report_ = loop_.run(
        kReachInfo, compiled.problem(), measured_, q, trace, [] { return Status{}; },
        [](double*) { return Move::last; });
  } else if (serial_.matches(compiled)) {
    report_.why = "one goal on a serial chain";
    serial_.solve(compiled, settings, q, report_, trace);
  } else {
    report_.why = "general path";
    general_.solve(compiled, settings, q, report_, trace);
  }
  return report_;
}

void Reach::solve_together(const Problem& problem, std::span<const Goal> goals, std::span<char> asked, MatX& poses,
                           std::span<Report> reports) {
  if (!compiled_.interpret(problem, settings).ok() || !serial_.matches(compiled_)) return;
  serial_.solve_together(compiled_, settings, goals, asked, poses, reports);
}

}  // namespace armature
