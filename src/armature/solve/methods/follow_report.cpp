// What the follow method says about a frame.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/follow.hpp"
#include "armature/solve/reach_bound.hpp"

namespace armature::inline v0_2 {
namespace {

// How the gesture stands; explain() makes a sentence of it.
constexpr const char* kArrived = "arrived";
constexpr const char* kOnItsWay = "on its way";
constexpr const char* kAsFarAsItCan = "as far as it can";
constexpr const char* kMovingOver = "moving over";
constexpr const char* kHeldOff = "held off by what it must not touch";

}  // namespace

void Follow::record(const double* q) {
  if (trace_ == nullptr) return;
  const GoalSystem& system = energy_.system;
  // The step of the entry before is what it took to come here.
  const Model& model = compiled_.model();
  if (!trace_->steps.empty()) {
    TraceStep& before = trace_->steps.back();
    difference(model, before.q.data(), q, before.step.data());
  }
  TraceStep entry;
  entry.q = Eigen::Map<const VecX>(q, model.q_size());
  entry.error = system.length * Eigen::Map<const VecX>(system.error.data(), system.rows());
  entry.error_norm = entry.error.norm();
  entry.step = VecX::Zero(model.v_size());
  trace_->steps.push_back(std::move(entry));
}

void Follow::finish(VecX& q) {
  // A ball in the corner of its cone can come to lie outside by more than a rounding; the gesture then begins anew.
  // Loops are closed inside the limits already.
  if (!keeps_loops() && !inside_limits(compiled_.model(), q))
    clamp(compiled_.model(), compiled_.lower(), compiled_.upper(), q.data());
  GoalSystem& system = energy_.system;
  report_.iterations = iterations_;
  system.evaluate(q.data());  // the last trial may have been another pose
  system.measure(compiled_, report_.goals);
  const bool reached = system.reached();
  report_.outcome = reached ? Outcome::converged : speeding_ ? Outcome::iteration_limit : Outcome::stalled;
  report_.reason = reached ? kArrived : recover_.gliding() ? kMovingOver : speeding_ ? kOnItsWay : kAsFarAsItCan;
  const double* push = nullptr;
  if (!reached) {
    report_.proof = prove_unreachable(compiled_, q.data());
    if (report_.proof) report_.outcome = Outcome::unreachable;
    system.differentiate();
    system.dual.transposed_times(system.error.data(), energy_.gradient.data());
    std::fill(push_.begin(), push_.end(), 0.0);
    for (int c = 0; c < system.columns(); ++c) {
      push_[at(system.column_list()[at(c)].velocity)] = energy_.gradient[at(c)];
    }
    push = push_.data();
  }
  fill_report(compiled_, q.data(), push, 0.0, report_);
  if (free_.on()) {
    const int touching = free_.describe(q.data(), report_);
    report_.times_reached = reached ? 1 : 0;
    const bool held = !reached && detoured_ && !report_.proof;
    if (held || touching > 0) report_.outcome = Outcome::blocked;
    if (held) report_.reason = kHeldOff;
  }
  if (!std::isfinite(report_.position_error + report_.orientation_error)) report_.outcome = Outcome::not_finite;
  report_.measures.clear();
}

}  // namespace armature::inline v0_2
