#include "armature/solve/methods/auto.hpp"

namespace armature {

bool Auto::analysis_applies(const Problem& problem) {
  if (problem.model == nullptr || problem.goals.empty() || problem.gain.size() != 0 || problem.mobility.size() != 0 ||
      settings.quality() != Quality::first || settings.max_iterations <= 0) {
    return false;
  }
  if (problem.goals.size() > 1) {  // only a pole may stand beside the place
    const bool pole = problem.goals.size() == 2 && (std::holds_alternative<PoleGoal>(problem.goals[0]) ||
                                                    std::holds_alternative<PoleGoal>(problem.goals[1]));
    return pole && check_problem(problem).ok() && two_link_.check(problem).ok();
  }
  kind_.model = problem.model->fingerprint();
  kind_.goal = problem.goals[0].index();
  kind_.locked = problem.locked;
  if (const auto* position = std::get_if<PositionGoal>(&problem.goals[0])) {
    kind_.link = position->link;
    kind_.base = position->base;
    kind_.point = position->point;
    kind_.free_position = position->axes.free;
    kind_.free_orientation = {};
    kind_.boxes = !position->axes.box.isZero(0.0);
  } else if (const auto* pose = std::get_if<PoseGoal>(&problem.goals[0])) {
    kind_.link = pose->link;
    kind_.base = pose->base;
    kind_.point = pose->point;
    kind_.free_position = pose->position_axes.free;
    kind_.free_orientation = pose->orientation_axes.free;
    kind_.boxes = !pose->position_axes.box.isZero(0.0) || !pose->orientation_axes.box.isZero(0.0);
  } else {
    return false;
  }
  if (!(kind_ == asked_)) {
    asked_ = kind_;
    takes_ = two_link_.check(problem).ok();
  }
  return takes_ && check_problem(problem).ok();
}

const Report& Auto::solve(const Problem& problem, VecX& q, Trace* trace) {
  report_.joints_at_limits.reserve(static_cast<std::size_t>(q.size()));  // so that later solves need not
  report_.blocking.reserve(static_cast<std::size_t>(q.size()));
  if (analysis_applies(problem)) {
    static_cast<CommonOptions&>(two_link_.settings) = settings;
    seed_ = q;
    const Report& exact = two_link_.solve(problem, q, trace);
    if (exact.ok()) {
      report_ = exact;
      report_.why = problem.goals.size() > 1 ? "a limb of two links with a pole, solved by analysis"
                                             : "a limb of two links, solved by analysis";
      return report_;
    }
    q = seed_;  // the other elbow, other joints or the nearest pose: that takes a search
    if (trace != nullptr) trace->steps.clear();
  }
  reach_.settings = settings;
  report_ = reach_.solve(problem, q, trace);
  return report_;
}

void Auto::solve_together(const Problem& problem, std::span<const Goal> goals, std::span<char> asked, MatX& poses,
                          std::span<Report> reports) {
  if (analysis_applies(problem)) return;
  reach_.settings = settings;
  reach_.solve_together(problem, goals, asked, poses, reports);
}

}  // namespace armature
