#include "armature/solve/methods/reach.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/number.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/follow.hpp"
#include "armature/solve/methods/reach_nearest.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kLastPatience = 3;  // times give_up: evaluations of the last part

// Whether a target lies so far out that squares overflow: no search can say anything of it.
bool beyond_numbers(const CompiledProblem& problem) {
  const double most = 1e100 * problem.model().size();
  for (const CompiledGoal& goal : problem.goals()) {
    if (!goal.required || !goal.framed || !goal.frame.position) continue;
    for (int k = 0; k < 3; ++k) {
      const bool free = goal.frame.position_axes.free[static_cast<std::size_t>(k)];
      if (!free && std::abs(goal.frame.target.position[k]) > most) return true;
    }
  }
  return false;
}

}  // namespace

Reach::Reach() = default;
Reach::~Reach() = default;

const Report& Reach::run(const Problem& problem, ConstVecRef start, Trace* trace) {
  report_.q = start;
  compiled_.closes_loops = true;
  if (const Status status = compiled_.interpret(problem, settings, report_.q); !status) {
    refuse(problem, kReachInfo.name, status, report_);
    return report_;
  }
  return answer(compiled_, report_.q, trace);
}

// The whole report of the pose as it is, which no step changes.
void Reach::measure(const CompiledProblem& compiled, Trace* trace) {
  measured_ = settings;
  measured_.max_iterations = 0;
  loop_.closes_loops = true;
  report_ = loop_.run(
      kReachInfo, compiled.problem(), measured_, report_.q, trace, [] { return Status{}; },
      [](double*) { return Move::last; });
}

// What the search gave up on, once more by other means; a report that it could not be reached stands if that fails too.
void Reach::try_again(const CompiledProblem& compiled, double deadline, Trace* trace) {
  const int before = report_.iterations, restarts = report_.restarts;
  const char* why = report_.reason;
  const int budget = std::min(settings.max_iterations - before, kLastPatience * settings.patience);
  const bool found = last_.search(compiled, budget, static_cast<std::uint64_t>(settings.seed), deadline, report_.q);
  if (found) {
    measure(compiled, trace);
    report_.reason = why;
  } else if (last_.out_of_time()) {
    report_.outcome = Outcome::time_limit;
  }
  report_.iterations = before + last_.iterations();
  report_.restarts = restarts + last_.starts();
}

void Reach::keep_priorities(CompiledProblem& compiled) {
  if (!priorities_.missed(compiled, report_)) return;
  if (!above_) above_ = std::make_unique<Reach>();
  above_->settings = settings;
  const Report& alone = above_->solve(priorities_.upper(), seed_);
  if (!priorities_.spoiled(compiled, report_, alone)) return;
  const int iterations = report_.iterations + alone.iterations, restarts = report_.restarts + alone.restarts;
  const Outcome outcome = report_.outcome;
  const std::optional<Proof> proof = report_.proof;
  report_.q = alone.q;
  const char* reason = compiled.tied_by() != nullptr ? "closed loops" : "general path";
  if (compiled.tied_by() != nullptr) {
    solve_loops(compiled, 1, 0.0, false, nullptr);
  } else {
    general_.improve(compiled, settings, report_.q, report_);
  }
  if (priorities_.spoiled(compiled, report_, alone)) {  // the last priority gets what is left as it stands
    report_.q = alone.q;
    measure(compiled, nullptr);
    report_.iterations = 0;
  }
  if (report_.outcome != Outcome::converged) report_.outcome = outcome;
  report_.proof = proof;
  report_.reason = reason;
  report_.iterations += iterations;
  report_.restarts = restarts;
}

bool Reach::choose_nearest(CompiledProblem& compiled, Trace* trace) {
  if (beyond_numbers(compiled)) return false;
  if (!nearest_) nearest_ = std::make_unique<ReachNearest>();
  if (!nearest_->search(compiled, settings, report_.q)) return false;  // a search says why
  measure(compiled, trace);
  report_.iterations = nearest_->iterations();
  report_.restarts = std::max(0, nearest_->starts() - 1);
  report_.answers = nearest_->answers();
  report_.reason = nearest_->all() ? "the nearest of all answers, by analysis" : "the nearest of the answers found";
  return true;
}

bool Reach::choose_best(CompiledProblem& compiled, Trace* trace) {
  if (beyond_numbers(compiled)) return false;
  if (!nearest_) nearest_ = std::make_unique<ReachNearest>();
  if (!nearest_->choose(compiled, settings, report_.q)) return false;
  measure(compiled, trace);
  report_.iterations = nearest_->iterations();
  report_.answers = nearest_->answers();
  report_.reason = "the best of all answers, by analysis";
  return true;
}

// The pose that continues q: a gesture where q is the last answer, else a walk from q to the goals.
void Reach::keep_branch(const CompiledProblem& compiled, Trace* trace) {
  if (!follow_) {
    follow_ = std::make_unique<Follow>();
    follow_->settings.recover = Recover::never;
  }
  static_cast<SolveOptions&>(follow_->settings) = settings;
  follow_->settings.max_iterations = std::min(settings.max_iterations, settings.patience);
  report_ = follow_->solve(compiled.problem(), report_.q, trace);
  if (!settings.measures) return;
  Report followed = report_;
  measure(compiled, nullptr);
  followed.measures = std::move(report_.measures);
  report_ = std::move(followed);
}

// Damped steps among the motions that keep the loops closed, from loop_start_, each of which must come nearer: where no
// pose reaches the goals, steps that need not would swing about the nearest one.
const Report& Reach::descend_loops(const Problem& problem, Trace* trace) {
  constexpr double kLoopStep = 0.5;             // radians
  constexpr double kLeast = 1e-6, kMost = 1e9;  // of the damping
  constexpr double kSlow = 1e-6;                // share of the error: a step that gains no more gains nothing
  const double max_step = settings.max_step < 0.0 ? kLoopStep : settings.max_step;
  Stack& stack = loop_.stack;
  VecX& kept = loop_start_;  // which the loop has copied
  double lambda = 0.05, last = kInfinity;
  int slow = 0;
  bool known = false;  // A is that of the nearest pose so far
  return loop_.run(
      kReachInfo, problem, measured_, loop_start_, trace, [] { return Status{}; },
      [&](double* pose) {
        const double error = stack.error_norm();
        const Eigen::Index size = problem.model.q_size();
        if (error < last) {
          slow = error > (1.0 - kSlow) * last ? slow + 1 : 0;
          lambda = last < kInfinity ? std::max(0.3 * lambda, kLeast) : lambda;
          last = error;
          kept = Eigen::Map<const VecX>(pose, size);
          known = false;
        } else {
          lambda *= 6.0;
          std::copy(kept.data(), kept.data() + size, pose);
          stack.evaluate(pose);
        }
        if (slow > 2 || lambda > kMost) return Move::last;
        if (!known) {
          stack.differentiate();
          stack.drop_blocked(pose);
          known = true;
        }
        loop_steps_.step(stack, lambda, loop_change_);
        while (stack.drop_outward(pose, loop_change_) > 0) {
          known = false;
          loop_steps_.step(stack, lambda, loop_change_);
        }
        const double held = stack.error_norm(stack.levels() - 1);
        stack.apply(pose, loop_change_, max_step);
        // Back onto the priorities above the last, which a straight step leaves a little.
        for (int k = 0; k < 3 && stack.levels() > 1; ++k) {
          stack.evaluate(pose);
          if (!(stack.error_norm(stack.levels() - 1) > held)) break;
          stack.differentiate();
          stack.drop_blocked(pose);
          known = false;
          loop_steps_.step(stack, kLeast, stack.levels() - 1, stack.step);
          stack.apply(pose, stack.step, max_step);
        }
        stack.ask(loop_change_, max_step);
        return Move::stepped;
      });
}

// Descents from the start and then from other assembled poses: a mechanism of one freedom has as many local minima as
// its path comes near the goal. `free`: answers that touch something are no answers, the clearest of them is kept.
void Reach::solve_loops(CompiledProblem& compiled, int starts, double deadline, bool free, Trace* trace) {
  constexpr int kSteps = 100;
  constexpr int kStartsToComeNear[] = {12, 6};  // to goals that are proved out of reach, by one freedom and by several
  constexpr int kNoNearer = 16;  // starts in a row that come no nearer, where there is more than one freedom
  constexpr int kTries = 2;      // poses to close for one start
  constexpr double kNear = 0.4;  // of the way to any pose: every other one, as those close more often
  loop_.closes_loops = true;
  Stack& stack = loop_.stack;
  measured_ = settings;
  measured_.max_iterations = std::min(settings.max_iterations, kSteps);
  Rng rng(static_cast<std::uint64_t>(settings.seed));
  int iterations = 0, start = 0, refused = 0, no_nearer = 0;
  double best = kInfinity, clearest = -kInfinity;
  const Problem& problem = compiled.problem();
  loop_first_ = report_.q;
  for (; start < starts; ++start) {
    loop_start_ = loop_first_;
    bool closed = start == 0;
    for (int k = 0; k < kTries && !closed; ++k) {
      loop_start_ = loop_first_;
      stack.scatter(rng, (start + k) % 2 == 0 ? kNear : 1.0, loop_start_.data());
      closed = stack.close(loop_start_.data());
    }
    if (!closed) {
      if (deadline > 0.0 && ReachLast::clock() >= deadline) {
        report_.outcome = Outcome::time_limit;
        break;
      }
      if (stack.motions() > 1 && ++no_nearer >= kNoNearer) break;
      continue;
    }
    const Report& found = descend_loops(problem, start == 0 ? trace : nullptr);
    iterations += found.iterations;
    const bool touches = free && found.ok() && !free_.is_free(found.q.data());
    if (touches) {
      ++refused;
      const double clearance = free_.clearance(found.q.data());
      if (clearance > clearest) report_ = found;
      clearest = std::max(clearest, clearance);
    }
    double error = stack.levels() > 1 ? stack.error_norm() : 0.0;
    for (std::size_t g = 0; stack.levels() == 1 && g < found.goals.size(); ++g) {
      if (!compiled.goals()[g].counts) continue;
      const double p = found.goals[g].position_error / compiled.model().size(), r = found.goals[g].orientation_error;
      error += compiled.goals()[g].weight * (p * p + r * r);
    }
    no_nearer = error < 0.999 * best || touches ? 0 : no_nearer + 1;
    if (found.outcome == Outcome::refused || (found.ok() && !touches) ||
        (refused == 0 && (start == 0 || error < best))) {
      if (std::isfinite(error)) best = error;
      report_ = found;
    }
    if ((found.ok() && !touches) || found.outcome == Outcome::refused) break;
    // Proved to be out of reach: what is left is to come near, perhaps in another assembly.
    const bool several = stack.motions() > 1;
    if (found.outcome == Outcome::unreachable && start + 1 >= kStartsToComeNear[several ? 1 : 0]) break;
    if (several && no_nearer >= kNoNearer) break;
    if (settings.keep_branch || iterations >= settings.max_iterations) break;
    if (deadline > 0.0 && ReachLast::clock() >= deadline) {
      report_.outcome = Outcome::time_limit;
      break;
    }
  }
  report_.method = kReachInfo.name;
  report_.iterations = iterations;
  report_.restarts = std::min(start, starts - 1);
  report_.reason = "closed loops";
  report_.times_reached = refused;
  if (refused > 0 && report_.outcome == Outcome::converged && !free_.is_free(report_.q.data())) {
    report_.outcome = Outcome::blocked;
  }
  const bool gave_up = report_.outcome == Outcome::iteration_limit ? iterations < settings.max_iterations
                                                                   : report_.outcome == Outcome::diverged;
  if (gave_up) report_.outcome = Outcome::stalled;
}

const Report& Reach::answer(CompiledProblem& compiled, ConstVecRef start, Trace* trace) {
  VecX& q = report_.q;
  q = start;
  const double deadline = settings.max_time > 0.0 ? ReachLast::clock() + settings.max_time : 0.0;
  report_.method = kReachInfo.name;
  report_.answers = 0;
  report_.joints_at_limits.reserve(static_cast<std::size_t>(q.size()));  // so that later solves need not
  report_.blocking_joints.reserve(static_cast<std::size_t>(q.size()));
  report_.measures.singular_values.reserve(static_cast<std::size_t>(q.size()));
  report_.collisions.clear();
  report_.clearance = 0.0;
  report_.times_reached = 0;
  if (compiled.tied_by() != nullptr) {
    const bool clear = free_.prepare(compiled);
    seed_ = q;
    solve_loops(compiled, only_decides ? 6 : 60, deadline, clear, trace);
    if (!clear && !settings.local && report_.outcome != Outcome::converged) keep_priorities(compiled);
    if (clear) free_.describe(q.data(), report_);
    return report_;
  }
  const bool free = free_.prepare(compiled);
  serial_.set_free(free ? &free_ : nullptr);
  general_.set_free(free ? &free_ : nullptr);
  if (settings.keep_branch) {
    keep_branch(compiled, trace);
    if (free && report_.outcome == Outcome::converged && !free_.is_free(q.data())) {
      report_.outcome = Outcome::blocked;
      report_.times_reached = 1;
    }
    if (free) free_.describe(q.data(), report_);
    return report_;
  }
  const bool levels = !compiled.all_one_priority() && !free;
  if (levels) seed_ = q;
  if (settings.quality == Quality::nearest && !settings.local && !free && compiled.preferences().empty() &&
      choose_nearest(compiled, trace)) {
    return report_;
  }
  // Where nothing is to be avoided there is no clearance to choose by.
  const bool chooses = settings.quality == Quality::centered || settings.quality == Quality::manipulable ||
                       (settings.quality == Quality::clear && free);
  if (chooses && !settings.local && !levels && compiled.preferences().empty() && choose_best(compiled, trace)) {
    if (free) free_.describe(q.data(), report_);
    return report_;
  }
  if (beyond_numbers(compiled)) {
    measure(compiled, trace);  // the start, and what can be proved is said
  } else if (serial_.matches(compiled)) {
    report_.reason = "one goal on a serial chain";
    serial_.solve(compiled, settings, q, report_, trace);
  } else {
    report_.reason = "general path";
    general_.solve(compiled, settings, q, report_, trace);
  }
  // Lower priorities that cannot be met are let go; a local descent ends where it ends.
  if (report_.outcome == Outcome::stalled && compiled.all_one_priority() && !settings.local && !only_decides) {
    try_again(compiled, deadline, trace);
    if (free && report_.outcome == Outcome::converged && !free_.is_free(q.data())) {
      report_.outcome = Outcome::blocked;
      report_.times_reached = 1;
    }
  }
  const bool missed = report_.outcome == Outcome::stalled || report_.outcome == Outcome::unreachable;
  if (levels && missed && !settings.local) keep_priorities(compiled);
  if (free) free_.describe(q.data(), report_);
  return report_;
}

void Reach::solve_together(const Problem& problem, std::span<const Goal> goals, std::span<char> asked, MatX& poses,
                           std::span<Report> reports) {
  if (!compiled_.interpret(problem, settings).ok() || !serial_.matches(compiled_)) return;
  const bool free = free_.prepare(compiled_);
  if (problem.avoids_collisions() && (!free || compiled_.tied_by() != nullptr)) return;  // each by itself
  serial_.set_free(free ? &free_ : nullptr);
  serial_.solve_together(compiled_, settings, goals, asked, poses, reports);
}

}  // namespace armature::inline v0_2
