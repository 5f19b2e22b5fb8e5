#include "armature/solve/methods/auto.hpp"

namespace armature {

bool Auto::analysis_applies() {
  const Problem& problem = compiled_.problem();
  if (settings.quality() != Quality::first || settings.max_iterations <= 0 || !compiled_.preferences().empty() ||
      problem.mobility.size() != 0) {
    return false;
  }
  int framed = -1;
  int pole = -1;
  for (int g = 0; g < static_cast<int>(compiled_.goals().size()); ++g) {
    const CompiledGoal& goal = compiled_.goals()[static_cast<std::size_t>(g)];
    if (!goal.required) continue;
    int& kind = goal.framed && goal.frame.position ? framed : pole;
    if (kind >= 0 || (&kind == &pole && !std::holds_alternative<PoleGoal>(*goal.goal))) return false;
    kind = g;
  }
  if (framed < 0) return false;
  const FrameTarget& frame = compiled_.goals()[static_cast<std::size_t>(framed)].frame;
  kind_.model = problem.model->fingerprint();
  kind_.link = frame.link;
  kind_.base = frame.base;
  kind_.point = frame.point;
  kind_.orientation = frame.orientation;
  kind_.free_position = frame.position_axes.free;
  kind_.free_orientation = frame.orientation_axes.free;
  kind_.whole = frame.whole();
  kind_.pole = pole >= 0;
  kind_.locked = problem.locked;
  if (!(kind_ == asked_)) {
    asked_ = kind_;
    takes_ = two_link_.check(problem, !kind_.pole).ok();
  }
  return takes_;
}

const Report& Auto::solve(const Problem& problem, VecX& q, Trace* trace) {
  report_.joints_at_limits.reserve(static_cast<std::size_t>(q.size()));  // so that later solves need not
  report_.blocking.reserve(static_cast<std::size_t>(q.size()));
  if (!compiled_.interpret(problem, settings, true).ok() || q.size() != problem.model->q_size()) {
    refuse(problem, kAutoInfo.name, q, report_);
    return report_;
  }
  if (compiled_.tied_by() == nullptr && analysis_applies()) {
    static_cast<CommonOptions&>(two_link_.settings) = settings;
    seed_ = q;
    const Report& exact = two_link_.solve(problem, q, trace);
    if (exact.ok()) {
      report_ = exact;
      report_.why = kind_.pole ? "a limb of two links with a pole, solved by analysis"
                               : "a limb of two links, solved by analysis";
      return report_;
    }
    q = seed_;  // the other elbow, other joints or the nearest pose: that takes a search
    if (trace != nullptr) trace->steps.clear();
  }
  reach_.settings = settings;
  report_ = reach_.solve(compiled_, q, trace);
  return report_;
}

void Auto::solve_together(const Problem& problem, std::span<const Goal> goals, std::span<char> asked, MatX& poses,
                          std::span<Report> reports) {
  reach_.settings = settings;
  reach_.solve_together(problem, goals, asked, poses, reports);
}

}  // namespace armature
