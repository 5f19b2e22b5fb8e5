#include "armature/solve/methods/strict_priorities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace armature::inline v0_2 {
namespace {

constexpr double kAsGood = 1.001;  // of an error: what lower priorities may cost

struct LevelError {
  double size = 0.0;
  bool reached = true;

  void add(const CompiledProblem& problem, const CompiledGoal& goal, const GoalResidual& residual) {
    const double length = residual.position_error / problem.length();
    const double angle = residual.orientation_error;
    size = std::sqrt(size * size + goal.weight * (length * length + angle * angle));
    reached = reached && residual.reached;
  }
};

}  // namespace

bool StrictPriorities::missed(const CompiledProblem& compiled, const Report& report) {
  const std::span<const CompiledGoal> goals = compiled.goals();
  if (compiled.all_one_priority() || report.goals.size() != goals.size()) return false;
  last_ = std::numeric_limits<int>::min();
  for (const CompiledGoal& goal : goals) {
    if (goal.required) last_ = std::max(last_, goal.priority);
  }
  bool any = false;
  std::size_t count = 0;
  for (std::size_t g = 0; g < goals.size(); ++g) {
    any = any || (goals[g].required && above(goals[g]) && !report.goals[g].reached);
    count += above(goals[g]) ? 1 : 0;
  }
  if (!any) return false;
  const Problem& problem = compiled.problem();
  upper_.model = problem.model;
  upper_.goals.resize(count);
  for (std::size_t g = 0, k = 0; g < goals.size(); ++g) {
    if (above(goals[g])) upper_.goals[k++] = *goals[g].goal;
  }
  upper_.locked = problem.locked;
  upper_.tip = problem.tip;
  upper_.joint_weights = problem.joint_weights;
  upper_.limits = problem.limits;
  return true;
}

bool StrictPriorities::spoiled(const CompiledProblem& compiled, const Report& report, const Report& alone) const {
  const std::span<const CompiledGoal> goals = compiled.goals();
  for (int priority = std::numeric_limits<int>::min();;) {
    int next = last_;
    for (const CompiledGoal& goal : goals) {
      if (goal.required && goal.priority > priority) next = std::min(next, goal.priority);
    }
    if (next == last_) return false;
    priority = next;
    LevelError without, with;
    for (std::size_t g = 0, k = 0; g < goals.size(); ++g) {
      if (!above(goals[g])) continue;
      if (goals[g].required && goals[g].priority == priority) {
        without.add(compiled, goals[g], alone.goals[k]);
        with.add(compiled, goals[g], report.goals[g]);
      }
      ++k;
    }
    if (with.reached) continue;
    if (without.reached || with.size > kAsGood * without.size) return true;
    if (with.size * kAsGood < without.size) return false;  // better than alone
  }
}

}  // namespace armature::inline v0_2
