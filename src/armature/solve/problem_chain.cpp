#include "armature/solve/problem_chain.hpp"

#include <algorithm>

#include "armature/base/index.hpp"

namespace armature::inline v0_2 {

/// The one goal that counts, as the tip's target and what it leaves free; preferences do not count.
const char* ProblemChain::read_goal(const CompiledProblem& problem) {
  goal_ = -1;
  refused_ = nullptr;
  for (int g = 0; g < static_cast<int>(problem.goals().size()); ++g) {
    if (!problem.goals()[at(g)].counts) continue;
    if (goal_ >= 0) return "Analysis takes one goal; this problem has several.";
    goal_ = g;
  }
  if (goal_ < 0) return "Analysis needs a position, orientation or pose goal.";
  const CompiledGoal& goal = problem.goals()[at(goal_)];
  const FrameTarget& frame = goal.frame;
  if (!goal.framed) {
    refused_ = goal.goal;
    return "Analysis takes position, orientation and pose goals, not ";
  }
  asked_.model = problem.model().fingerprint();
  asked_.base = frame.base;
  asked_.tip = frame.link;
  asked_.point = frame.point;
  asked_.task = ChainTask{};
  target_ = frame.target;
  const Axes& place = frame.position_axes;
  const Axes& turn = frame.orientation_axes;
  const auto free_axis = [](const Axes& axes) { return Vec3(Vec3::Unit(axes.free[0] ? 0 : axes.free[1] ? 1 : 2)); };
  if (!frame.position) {
    if (!turn.trivial()) return "Analysis takes an orientation alone without free axes and tolerance boxes.";
    asked_.task.rotation_only = true;
    return nullptr;
  }
  if (!place.box.isZero(0.0)) return "Analysis takes positions without tolerance boxes.";
  if (!frame.orientation || turn.rows() == 0) {
    asked_.task.position_only = true;
    if (place.rows() == 3) return nullptr;
    if (place.rows() != 2) return "Analysis takes a position with at most one free coordinate.";
    asked_.task.free_slide = true;
    asked_.task.axis = free_axis(place);
    if (place.of_target() && frame.orientation) asked_.task.axis = frame.target.rotation * asked_.task.axis;
    return nullptr;
  }
  if (place.rows() != 3) return "Analysis takes a pose goal with all three coordinates of its position.";
  if (!turn.box.isZero(0.0)) return "Analysis takes orientations without tolerance boxes.";
  if (turn.rows() == 3) return nullptr;
  if (turn.rows() != 2) return "Analysis takes an orientation with at most one free axis.";
  if (!turn.of_target() && !any_axis) {
    return "Analysis takes an orientation with no free axis, or with one of the target's own axes free.";
  }
  asked_.task.free_turn = true;
  asked_.task.axis = free_axis(turn);
  // Any turn about an axis of the base is any turn about where the target has that axis.
  if (!turn.of_target()) asked_.task.axis = frame.target.rotation.transpose() * asked_.task.axis;
  return nullptr;
}

bool ProblemChain::prepare(const CompiledProblem& problem, const double* q, bool closed_only) {
  refusal_ = "";
  renewed_ = false;
  if (const char* why = read_goal(problem); why != nullptr) {
    refusal_ = why;
    return false;
  }
  const bool other_chain = !made_ || key_.model != asked_.model || key_.base != asked_.base || key_.tip != asked_.tip ||
                           key_.point != asked_.point;
  if (other_chain) {
    Result<ModelChain> chain = make_chain(problem.model(), asked_.base, asked_.tip, asked_.point);
    chain_status_ = chain.status();
    whole_ = chain ? std::move(*chain) : ModelChain{};
    if (chain_status_) {
      const std::vector<double> zero(whole_.joints.size(), 0.0);
      Transform X_BT, X;
      forward(whole_.chain, zero.data(), X_BT);
      for (const ChainJoint& joint : whole_.joints) X = X * joint.origin;
      tip_ = X.inverse() * X_BT.position;
    }
  }
  const std::size_t joints = whole_.joints.size();
  asked_locked_.assign(joints, 0);
  asked_values_.assign(joints, 0.0);
  for (std::size_t i = 0; i < joints; ++i) {
    const ChainCoordinate& c = whole_.coordinates[i];
    if (problem.joint_weight(c.velocity) > 0.0) continue;
    asked_locked_[i] = 1;
    asked_values_[i] = c.multiplier * q[c.coordinate] + c.offset;
  }
  free_.clear();
  if (asked_.task.position_only) {  // the last joints may turn about the very point
    Vec3 tip = tip_;
    for (std::size_t i = joints; i-- > 0;) {
      const ChainJoint& joint = whole_.joints[i];
      if (asked_locked_[i] == 0) {
        const double away = joint.axis.cross(tip).norm();
        if (joint.kind != ChainJointKind::revolute || away > 1e-9 * problem.model().size()) break;
        asked_locked_[i] = 1;  // at any value: zero, so that the analysis does not depend on the start
        free_.push_back(whole_.coordinates[i].coordinate);
      }
      const bool slides = joint.kind == ChainJointKind::prismatic;
      tip = joint.origin * ((slides ? Transform::translate(joint.axis * asked_values_[i])
                                    : Transform::rotate(joint.axis, asked_values_[i])) *
                            tip);
    }
  }
  const bool same = !other_chain && key_ == asked_ && locked_ == asked_locked_ && values_ == asked_values_;
  if (!same || (made_closed_only_ && !closed_only && !status_)) {
    key_ = asked_;
    locked_ = asked_locked_;
    values_ = asked_values_;
    analyze(closed_only);
    renewed_ = true;
  }
  if (!status_) return false;
  for (int j = 0; j < joint_count(); ++j) {
    const ChainCoordinate& c = analysis_.chain.coordinates[at(j)];
    const double a = c.multiplier * problem.lower()[c.coordinate] + c.offset;
    const double b = c.multiplier * problem.upper()[c.coordinate] + c.offset;
    start[j] = c.multiplier * q[c.coordinate] + c.offset;
    lower[j] = std::min(a, b);
    upper[j] = std::max(a, b);
  }
  return true;
}

void ProblemChain::analyze(bool closed_only) {
  made_ = true;
  made_closed_only_ = closed_only;
  status_ = chain_status_;
  if (!status_) return;
  const bool any = std::find(locked_.begin(), locked_.end(), 1) != locked_.end();
  Result<ModelChain> chain = any ? lock_joints(whole_, locked_.data(), values_.data()) : Result<ModelChain>(whole_);
  status_ = chain.status();
  if (!status_) return;
  Result<ChainAnalysis> analysis = analyze_chain(std::move(*chain), key_.task, closed_only);
  status_ = analysis.status();
  if (analysis) analysis_ = std::move(*analysis);
}

Status ProblemChain::status() const {
  if (refused_ != nullptr) return Error{std::string(refusal_) + "'" + goal_name(*refused_) + "'."};
  if (*refusal_ != '\0') return Error{refusal_};
  return status_;
}

void ProblemChain::put(const CompiledProblem& problem, const double* values, double* q) const {
  for (int j = 0; j < joint_count(); ++j) {
    const ChainCoordinate& c = analysis_.chain.coordinates[at(j)];
    const double value = (values[j] - c.offset) / c.multiplier;
    q[c.coordinate] = std::clamp(value, problem.lower()[c.coordinate], problem.upper()[c.coordinate]);
  }
}

}  // namespace armature::inline v0_2
