#include "armature/solve/loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "armature/kinematics/pose.hpp"
#include "armature/solve/reach_bound.hpp"

namespace armature::inline v0_2 {
namespace {

// A window of this many iterations must lower the best error by this share, or the search has stalled.
constexpr int kProgressWindow = 24;
constexpr double kProgress = 1e-4;
// A step that changes no joint by more than this share of the tolerance's angle (tolerance / size) is none.
constexpr double kStill = 1e-3;

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace

Status Loop::begin(const MethodInfo& info, const Problem& problem, const SolveOptions& options) {
  VecX& q = report.q;
  report.outcome = Outcome::refused;
  report.iterations = 0;
  report.restarts = 0;
  report.method = info.name;
  report.reason = "";
  report.proof.reset();
  compiled.closes_loops = closes_loops;
  if (Status status = compiled.interpret(problem, options, q); !status) return status;
  stack.prepare(compiled);
  svd_.resize(stack.rows(), stack.columns());
  nearby_step_.setZero(stack.columns());
  kept_step_.setZero(stack.columns());
  if (nearby_.size() != q.size()) nearby_.resize(q.size());
  report.goals.reserve(problem.goals.size());
  report.joints_at_limits.reserve(static_cast<std::size_t>(q.size()));
  report.blocking_joints.reserve(static_cast<std::size_t>(q.size()));
  clamp_start(problem.model, stack.lower(), stack.upper(), q.data());
  if (Status status = stack.assemble(q); !status) return status;
  best_ = q;
  stack.evaluate(q.data());
  best_error_ = last_error_ = window_error_ = stack.error_norm();
  window_end_ = kProgressWindow;
  still_ = 0;
  deadline_ = options.max_time > 0.0 ? now() + options.max_time : 0.0;
  return {};
}

bool Loop::goes_on(const SolveOptions& options, const VecX& q) {
  last_error_ = stack.error_norm();
  if (!std::isfinite(last_error_)) {
    report.outcome = Outcome::not_finite;
    return false;
  }
  if (stack.converged()) {
    report.outcome = Outcome::converged;
    return false;
  }
  if (last_error_ < best_error_) {
    best_error_ = last_error_;
    best_ = q;
  }
  if (report.iterations >= window_end_) {
    if (!(best_error_ < (1.0 - kProgress) * window_error_)) {
      // At rest at the best pose it found, or driven about by its own steps?
      report.outcome = last_error_ <= (1.0 + 1e-2) * best_error_ ? Outcome::stalled : Outcome::diverged;
      return false;
    }
    window_error_ = best_error_;
    window_end_ = report.iterations + kProgressWindow;
  }
  if (report.iterations >= options.max_iterations) {
    report.outcome = Outcome::iteration_limit;
    return false;
  }
  if (deadline_ > 0.0 && now() >= deadline_) {
    report.outcome = Outcome::time_limit;
    return false;
  }
  return true;
}

bool Loop::moved(Move move, const VecX& q) {
  if (move == Move::singular) {
    report.outcome = Outcome::singular;
    return false;
  }
  ++report.iterations;
  double largest = 0.0;
  for (int c = 0; c < stack.columns(); ++c) {
    largest = std::max(largest, std::abs(stack.step[c]) / stack.unit_of(c));
  }
  stack.evaluate(q.data());
  if (move == Move::last) {
    report.outcome = stack.converged() ? Outcome::converged : Outcome::stalled;
    return false;
  }
  const double least = std::min(1e-8, std::max(1e-14, kStill * stack.tolerance / stack.model().size()));
  still_ = largest > least ? 0 : still_ + 1;
  if (still_ < 2 || stack.converged()) return true;
  // Nothing moves although the goal is elsewhere: no joint helps (fig 5.19), or limits forbid those that would.
  stack.differentiate();
  double pull = 0.0;
  for (int c = 0; c < stack.columns(); ++c) {
    pull = std::max(pull, std::abs(stack.J.col(c).dot(stack.error)) * stack.unit_of(c));
  }
  const bool useless = pull <= 1e-9 * stack.error_norm() * (stack.J.norm() + stack.length);
  report.outcome = useless && is_singular(q) ? Outcome::singular : Outcome::stalled;
  return false;
}

// Whether the joints move the goals in fewer independent ways here than in poses nearby: what singular means. Goals
// that ask for more than the joints can ever do have a slope of zero at their best compromise too, but no singular
// pose.
bool Loop::is_singular(const VecX& q) {
  constexpr double kRank = 1e-7;
  constexpr double kNearby = 0.05;  // radians
  svd_.compute(stack.J);
  const int here = svd_.rank(kRank);
  nearby_ = q;
  nearby_step_.resize(stack.columns());
  for (int c = 0; c < stack.columns(); ++c)
    nearby_step_[c] = (c % 2 == 0 ? 1.0 : -0.7) * (1.0 + 0.1 * (c % 5)) / stack.scale[c] * stack.unit_of(c);
  kept_step_ = stack.step;
  nearby_step_ *= kNearby;
  stack.apply(nearby_.data(), nearby_step_, 0.0);
  stack.evaluate(nearby_.data());
  stack.differentiate();
  svd_.compute(stack.J);
  const int there = svd_.rank(kRank);
  stack.step = kept_step_;
  stack.evaluate(q.data());
  stack.differentiate();
  return here < there;
}

const Report& Loop::end(const SolveOptions& options, VecX& q, Trace* trace) {
  const bool restore = report.outcome == Outcome::not_finite ||
                       (options.keep_best && report.outcome != Outcome::converged && stack.error_norm() > best_error_);
  if (restore) {
    q = best_;
    stack.evaluate(q.data());
  }
  stack.differentiate();
  stack.finish(q.data(), report);
  if (report.outcome != Outcome::converged && report.outcome != Outcome::not_finite) {
    report.proof = prove_unreachable(compiled, q.data());
    if (report.proof) report.outcome = Outcome::unreachable;
  }
  if (trace != nullptr) {
    stack.step.setZero();
    stack.record(*trace, q.data(), stack.error, 0.0, uses_jacobian);
  }
  return report;
}

}  // namespace armature::inline v0_2
