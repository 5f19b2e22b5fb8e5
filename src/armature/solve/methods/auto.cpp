#include "armature/solve/methods/auto.hpp"

#include <algorithm>

#include "armature/solve/reach_bound.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kNearestPatience = 100;  // where it is proved that no search will reach the goal

}  // namespace

bool Auto::plain_question() const {
  const Problem& problem = compiled_.problem();
  return compiled_.tied_by() == nullptr && !problem.avoids_collisions() && !settings.keep_branch &&
         settings.quality == Quality::first && settings.max_iterations > 0 && compiled_.preferences().empty() &&
         problem.joint_weights.empty();
}

bool Auto::equations_apply() { return compiled_.plain_joints() && analytic_.is_quick(compiled_, report_.q); }

bool Auto::limb_applies() {
  const Problem& problem = compiled_.problem();
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
  kind_.model = problem.model.fingerprint();
  kind_.link = frame.link;
  kind_.base = frame.base;
  kind_.point = frame.point;
  kind_.orientation = frame.orientation;
  kind_.free_position = frame.position_axes.free;
  kind_.free_orientation = frame.orientation_axes.free;
  kind_.whole = frame.whole();
  kind_.pole = pole >= 0;
  const VecX& weights = compiled_.joint_weights();
  kind_.locked.assign(static_cast<std::size_t>(weights.size()), 0);
  for (Eigen::Index v = 0; v < weights.size(); ++v) kind_.locked[static_cast<std::size_t>(v)] = weights[v] == 0.0;
  if (!(kind_ == asked_)) {
    asked_ = kind_;
    takes_ = two_link_.check(problem, !kind_.pole).ok();
    takes_far_ = takes_ || two_link_.check(problem, false).ok();
  }
  return takes_ || (takes_far_ && prove_unreachable(compiled_, report_.q.data()).has_value());
}

const Report& Auto::run(const Problem& problem, ConstVecRef start, Trace* trace) {
  report_.q = start;
  compiled_.closes_loops = true;
  if (const Status status = compiled_.interpret(problem, settings, report_.q); !status) {
    refuse(problem, kAutoInfo.name, status, report_);
    return report_;
  }
  const bool plain = plain_question();
  bool proved = false;
  if (plain && equations_apply()) {
    static_cast<SolveOptions&>(analytic_.settings) = settings;
    const Report& exact = analytic_.answer(compiled_, report_.q, trace);
    if (exact.ok()) {
      report_ = exact;
      report_.reason = "the nearest of all answers, by analysis";
      return report_;
    }
    proved = exact.proof && exact.proof->bound == ReachBound::no_solution;
    if (proved && only_decides) {
      report_ = exact;
      return report_;
    }
    if (trace != nullptr) trace->steps.clear();
  } else if (plain && limb_applies()) {
    static_cast<SolveOptions&>(two_link_.settings) = settings;
    const Report& exact = two_link_.solve(problem, report_.q, trace);
    if (exact.ok()) {
      report_ = exact;
      report_.reason = kind_.pole ? "a limb of two links with a pole, solved by analysis"
                                  : "a limb of two links, solved by analysis";
      return report_;
    }
    if (two_link_.nearest()) {
      report_ = exact;
      report_.reason = "a limb of two links, stretched towards the goal";
      return report_;
    }
    // The other elbow, other joints or the nearest pose: that takes a search.
    if (trace != nullptr) trace->steps.clear();
  }
  reach_.settings = settings;
  reach_.only_decides = only_decides;
  if (proved) reach_.settings.patience = std::min(settings.patience, kNearestPatience);  // only for a near pose
  const Report& searched = reach_.answer(compiled_, report_.q, trace);
  if (!proved || searched.outcome != Outcome::stalled) return searched;
  report_ = searched;
  report_.outcome = Outcome::unreachable;
  report_.proof = Proof{.bound = ReachBound::no_solution};
  return report_;
}

void Auto::solve_together(const Problem& problem, std::span<const Goal> goals, std::span<char> asked, MatX& poses,
                          std::span<Report> reports) {
  reach_.settings = settings;
  reach_.solve_together(problem, goals, asked, poses, reports);
}

}  // namespace armature::inline v0_2
