#include "armature/solve/methods/auto.hpp"

namespace armature {

bool Auto::plain_question() const {
  const Quality quality = settings.quality();
  return (quality == Quality::first || quality == Quality::nearest) && !settings.continuous &&
         settings.max_iterations > 0 && compiled_.preferences().empty() && compiled_.problem().mobility.size() == 0;
}

bool Auto::equations_apply(const VecX& q) {
  const bool nearest = settings.quality() == Quality::nearest;
  if (!analytic_.takes(compiled_, q, !nearest) || !analytic_.analysis().exact()) return false;
  const ChainClass kind = analytic_.analysis().kind;
  const bool quick = kind == ChainClass::wrist || kind == ChainClass::parallel;
  return quick || (nearest && kind != ChainClass::locked && kind != ChainClass::srs);
}

bool Auto::solve_by_equations(VecX& q, Trace* trace, const char* why) {
  static_cast<CommonOptions&>(analytic_.settings) = settings;
  seed_ = q;
  report_ = analytic_.solve(compiled_, q, trace);
  if (report_.ok()) {
    report_.why = why;
    return true;
  }
  q = seed_;
  if (trace != nullptr) trace->steps.clear();
  return false;
}

bool Auto::limb_applies() {
  const Problem& problem = compiled_.problem();
  if (settings.quality() != Quality::first) return false;
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
  if (!compiled_.interpret(problem, settings).ok() || q.size() != problem.model->q_size()) {
    refuse(problem, kAutoInfo.name, q, report_);
    return report_;
  }
  const bool plain = plain_question();
  const bool by_equations = plain && equations_apply(q);
  bool proved = false;
  if (by_equations) {
    if (solve_by_equations(q, trace, "all answers of the chain are known by analysis, and this is the nearest")) {
      return report_;
    }
    proved = report_.bound == ReachBound::no_solution;
  } else if (plain && limb_applies()) {
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
  start_ = q;
  const Report& searched = reach_.solve(compiled_, q, trace);
  if (searched.outcome == Outcome::stalled && plain && !by_equations && analytic_.takes(compiled_, start_, false)) {
    // Equations may know a pose that the search does not find.
    std::swap(start_, q);
    if (solve_by_equations(q, nullptr, "the search gave up, and analysis knows the answer")) return report_;
    std::swap(start_, q);
  }
  report_ = searched;
  if (proved && report_.outcome == Outcome::stalled) {
    report_.outcome = Outcome::unreachable;
    report_.bound = ReachBound::no_solution;
  }
  return report_;
}

void Auto::solve_together(const Problem& problem, std::span<const Goal> goals, std::span<char> asked, MatX& poses,
                          std::span<Report> reports) {
  reach_.settings = settings;
  reach_.solve_together(problem, goals, asked, poses, reports);
}

}  // namespace armature
