#include "armature/solve/methods/follow_loops.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kLoopSteps = 24;            // a frame, at most
constexpr int kLoopHalvings = 12;         // of a step
constexpr double kLongestLoopStep = 0.3;  // radians
constexpr double kShortLoopStep = 1e-7;   // radians: a step this short ends the frame
constexpr double kCorrected = 0.35;       // of a step: what closing the loops may add without being another assembly
constexpr double kEdge = 0.98;            // of the box, which closing the loops must not leave

}  // namespace

void FollowLoops::prepare(CompiledProblem& problem) {
  stack_.prepare(problem);
  for (VecX* each : {&change_, &pull_}) {
    if (each->size() != stack_.columns()) each->setZero(stack_.columns());
  }
  for (VecX* each : {&from_, &trial_}) {
    if (each->size() != problem.model().q_size()) each->setZero(problem.model().q_size());
  }
  if (v_.size() != problem.model().v_size()) v_.setZero(problem.model().v_size());
}

// `change_` from q, shortened until it stays in the box and closing its end does not lead elsewhere; the end is trial_.
bool FollowLoops::step(const VecX& q, const VecX& reach) {
  const Model& model = stack_.model();
  double largest = 0.0;
  for (int c = 0; c < stack_.columns(); ++c) {
    largest = std::max(largest, std::abs(stack_.scale[c] * change_[c]) / stack_.unit_of(c));
  }
  if (!(largest > kShortLoopStep)) return false;
  double share = std::min(1.0, kLongestLoopStep / largest);
  difference(model, from_.data(), q.data(), v_.data());
  for (int c = 0; c < stack_.columns(); ++c) {
    const int v = stack_.active[at(c)];
    const double change = stack_.scale[c] * change_[c];
    const double room = kEdge * reach[v] - (change > 0.0 ? v_[v] : -v_[v]);
    if (share * std::abs(change) <= room) continue;
    share = std::max(0.0, room) / std::abs(change);
    held_ = true;
  }
  if (!(share * largest > kShortLoopStep)) return false;
  change_ *= share;
  for (int attempt = 0; attempt < kLoopHalvings; ++attempt, change_ *= 0.5) {
    trial_ = q;
    stack_.apply(trial_.data(), change_, 0.0);
    difference(model, q.data(), trial_.data(), v_.data());
    double moved = 0.0;
    double corrected = 0.0;
    for (int c = 0; c < stack_.columns(); ++c) {
      const double asked = stack_.scale[c] * change_[c];
      moved = std::max(moved, std::abs(asked) / stack_.unit_of(c));
      corrected = std::max(corrected, std::abs(v_[stack_.active[at(c)]] - asked) / stack_.unit_of(c));
    }
    if (corrected > kCorrected * moved) continue;
    difference(model, from_.data(), trial_.data(), v_.data());
    bool inside = true;
    for (const int v : stack_.active) inside = inside && std::abs(v_[v]) <= reach[v];
    if (inside) return true;
    held_ = true;
  }
  return false;
}

bool FollowLoops::descend(VecX& q, const VecX& home, const VecX& reach, int& iterations) {
  const Model& model = stack_.model();
  from_ = q;
  held_ = false;
  double damping = 0.05;
  stack_.evaluate(q.data());
  for (int i = 0; i < kLoopSteps; ++i) {
    ++iterations;
    const double error = stack_.error_norm();
    const bool reached = stack_.converged();
    stack_.differentiate();
    stack_.drop_blocked(q.data());
    difference(model, q.data(), home.data(), v_.data());
    for (int c = 0; c < stack_.columns(); ++c) pull_[c] = v_[stack_.active[at(c)]] / stack_.scale[c];
    stack_.keep_closed(pull_);
    minimum_.factor(stack_.A);
    minimum_.project(pull_);
    steps_.step(stack_, damping, change_);
    change_ += pull_;
    held_ = false;
    bool better = false;
    bool moves = step(q, reach);
    for (int attempt = 0; moves && attempt < kLoopHalvings && !better; ++attempt) {
      stack_.evaluate(trial_.data());
      better = stack_.error_norm() < error || (reached && stack_.converged());
      if (better) break;
      change_ *= 0.5;
      moves = step(q, reach);
    }
    if (!better) {
      held_ = held_ && !moves;  // not by the box, where a step inside it brought nothing
      stack_.evaluate(q.data());
      if (!moves || damping > 1e6) break;
      damping = std::max(1.0, 100.0 * damping);
      continue;
    }
    damping = std::max(0.3 * damping, 1e-6);
    q.swap(trial_);
  }
  return held_;
}

}  // namespace armature::inline v0_2
