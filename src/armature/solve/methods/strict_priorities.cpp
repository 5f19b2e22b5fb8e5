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

void PrioritySteps::step(const Stack& stack, double lambda, int levels, VecX& u) {
  constexpr double kNew = 1e-6;  // of a row: what must be left of it for a direction of its own
  const int n = stack.columns();
  const double least = 1e-14 * stack.length * stack.length;
  levels_.resize(static_cast<std::size_t>(stack.levels()));
  if (u.size() != n) u.resize(n);
  if (stack.levels() == 1) {
    MinimumNorm& minimum = levels_.front().minimum;
    minimum.factor(stack.A, std::sqrt(lambda * stack.error.squaredNorm() + least));
    minimum.solve(stack.error, u);
    return;
  }
  u.setZero();
  if (taken_.rows() != n || taken_.cols() != stack.rows()) taken_.resize(n, stack.rows());
  int taken = 0;
  for (int l = 0; l < levels; ++l) {
    Level& level = levels_[static_cast<std::size_t>(l)];
    int rows = 0;
    for (int r = 0; r < stack.rows(); ++r) rows += stack.level_of(r) == l ? 1 : 0;
    if (level.A.rows() != rows || level.A.cols() != n) level.A.resize(rows, n);
    if (level.error.size() != rows) level.error.resize(rows);
    if (level.step.size() != n) level.step.resize(n);
    double squares = 0.0, largest = 0.0;
    for (int r = 0, i = 0; r < stack.rows(); ++r) {
      if (stack.level_of(r) != l) continue;
      squares += stack.error[r] * stack.error[r];
      largest = std::max(largest, stack.A.row(r).norm());
      level.error[i] = stack.error[r] - stack.A.row(r).dot(u);
      level.A.row(i) = stack.A.row(r);
      for (int k = 0; k < taken; ++k) level.A.row(i) -= level.A.row(i).dot(taken_.col(k)) * taken_.col(k).transpose();
      ++i;
    }
    level.minimum.factor(level.A, std::sqrt(lambda * squares + least));
    level.minimum.solve(level.error, level.step);
    u += level.step;
    for (int i = 0; i < rows && taken < taken_.cols(); ++i) {
      taken_.col(taken) = level.A.row(i).transpose();
      for (int k = 0; k < taken; ++k) taken_.col(taken) -= taken_.col(k).dot(taken_.col(taken)) * taken_.col(k);
      const double left = taken_.col(taken).norm();
      if (left > kNew * largest) taken_.col(taken++) /= left;
    }
  }
}

}  // namespace armature::inline v0_2
