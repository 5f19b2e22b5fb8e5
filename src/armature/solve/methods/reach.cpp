#include "armature/solve/methods/reach.hpp"

#include <algorithm>

#include "armature/kinematics/pose.hpp"

namespace armature {
namespace {

// How far the farthest target lies; beyond all reason its square overflows, and no search can say anything of it.
double farthest_target(const Problem& problem) {
  double farthest = 0.0;
  for (const Goal& goal : problem.goals) {
    if (const auto* position = std::get_if<PositionGoal>(&goal))
      farthest = std::max(farthest, position->target.stableNorm());
    if (const auto* pose = std::get_if<PoseGoal>(&goal))
      farthest = std::max(farthest, pose->target.translation.stableNorm());
  }
  return farthest;
}

}  // namespace

const Report& Reach::solve(const Problem& problem, VecX& q, Trace* trace) {
  report_.method = kReachInfo.name;
  if (problem.model != nullptr && q.size() == problem.model->q_size()) {
    report_.joints_at_limits.reserve(static_cast<std::size_t>(q.size()));  // so that later solves need not
    report_.blocking.reserve(static_cast<std::size_t>(q.size()));
    const double farthest = farthest_target(problem);
    if (farthest > 1e100 * problem.model->size() && check_problem(problem).ok()) {
      clamp(*problem.model, q);
      report_ = Report{};
      report_.method = kReachInfo.name;
      report_.outcome = Outcome::unreachable;
      report_.bound = ReachBound::beyond;
      report_.bound_length = problem.model->size();
      report_.goal_distance = report_.position_error = farthest;
      report_.goals.assign(problem.goals.size(), GoalResidual{farthest, 0.0, false});
      return report_;
    }
    if (serial_.take(problem)) {
      report_.why = "one goal on a serial chain";
      serial_.solve(problem, settings, q, report_, trace);
      return report_;
    }
    if (check_problem(problem).ok()) {
      report_.why = "general path";
      general_.solve(problem, settings, q, report_, trace);
      return report_;
    }
    clamp(*problem.model, q);
  }
  report_ = Report{};
  report_.outcome = Outcome::refused;
  report_.method = kReachInfo.name;
  return report_;
}

void Reach::solve_together(const Problem& problem, std::span<const Goal> goals, MatX& poses,
                           std::span<Report> reports) {
  if (problem.model == nullptr || !serial_.take(problem)) return;
  serial_.solve_together(problem, settings, goals, poses, reports);
}

}  // namespace armature
