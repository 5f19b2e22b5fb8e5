#include "armature/solve/methods/reach.hpp"

#include <cmath>

#include "armature/kinematics/pose.hpp"

namespace armature {
namespace {

// Whether a target lies so far out that squares overflow: no search can say anything of it.
bool beyond_numbers(const Problem& problem) {
  const double most = 1e100 * problem.model->size();
  const auto far = [&](const Vec3& target, const AxisMask& axes) {
    for (int k = 0; k < 3; ++k) {
      if (!axes.free[static_cast<std::size_t>(k)] && std::abs(target[k]) > most) return true;
    }
    return false;
  };
  for (const Goal& goal : problem.goals) {
    const auto* position = std::get_if<PositionGoal>(&goal);
    const auto* pose = std::get_if<PoseGoal>(&goal);
    if (position != nullptr && far(position->target, position->axes)) return true;
    if (pose != nullptr && far(pose->target.translation, pose->position_axes)) return true;
  }
  return false;
}

}  // namespace

const Report& Reach::solve(const Problem& problem, VecX& q, Trace* trace) {
  report_.method = kReachInfo.name;
  if (problem.model != nullptr && q.size() == problem.model->q_size()) {
    report_.joints_at_limits.reserve(static_cast<std::size_t>(q.size()));  // so that later solves need not
    report_.blocking.reserve(static_cast<std::size_t>(q.size()));
    if (beyond_numbers(problem) && check_problem(problem).ok()) {
      measured_.max_iterations = 0;  // the start is measured, and what can be proved is said
      measured_.tolerance = settings.tolerance;
      measured_.orientation_tolerance = settings.orientation_tolerance;
      loop_.run(
          kReachInfo, problem, measured_, q, trace, [] { return Status{}; }, [](double*) { return Move::last; });
      report_ = loop_.report;
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

void Reach::solve_together(const Problem& problem, std::span<const Goal> goals, std::span<char> asked, MatX& poses,
                           std::span<Report> reports) {
  if (problem.model == nullptr || !serial_.take(problem)) return;
  serial_.solve_together(problem, settings, goals, asked, poses, reports);
}

}  // namespace armature
