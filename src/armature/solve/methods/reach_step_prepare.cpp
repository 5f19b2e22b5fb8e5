// What a step of the reach method needs to know before the first one, and what the preferences ask for.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/reach_step.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kOwnStiffness = 0.02;  // of every joint, besides the preferences' gains; in parts of the largest gain

}  // namespace

void ReachStep::prepare(const ReachSettings& options, const GoalSystem& system, const VecX& seed) {
  const CompiledProblem& problem = system.problem();
  const Model& model = problem.model();
  model_ = model;
  const auto n = static_cast<std::size_t>(system.columns());
  for (std::vector<double>* each :
       {&lower_, &upper_, &mobility_, &stiffness_, &softness_, &pull_, &weight_, &w_, &g_, &z_, &x_}) {
    each->assign(n, 0.0);
  }
  for (std::vector<double>* each : {&d_, &b_, &t_}) each->assign(static_cast<std::size_t>(system.dual.stride()), 0.0);
  for (int c = 0; c < system.columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    lower_[at(c)] = column.ball < 0 ? problem.lower()[column.coordinate] : -HUGE_VAL;
    upper_[at(c)] = column.ball < 0 ? problem.upper()[column.coordinate] : HUGE_VAL;
    mobility_[at(c)] = problem.joint_weight(column.velocity);
  }

  fixed_.assign(n, 0);
  if (layout_ != system.layout()) {
    layout_ = system.layout();
    balls_.clear();
    for (int c = 0; c + 2 < system.columns(); ++c) {
      const GoalSystem::Column& column = system.column_list()[at(c)];
      if (column.ball != 0 || !model.joint(column.joint).cone) continue;
      const ConeLimit& cone = *model.joint(column.joint).cone;
      const double half = math::cos(0.5 * std::min(cone.swing, kPi));
      balls_.push_back({c, column.coordinate, cone, cone.swing < kPi ? half * half : -1.0,
                        math::sin(0.5 * cone.twist_lower), math::cos(0.5 * cone.twist_lower),
                        math::sin(0.5 * cone.twist_upper), math::cos(0.5 * cone.twist_upper)});
    }
    walls_.reserve(2 * balls_.size());
    wall_rows_.resize(2 * balls_.size() * static_cast<std::size_t>(system.dual.stride()));
  }

  pulls_.assign(problem.preferences().begin(), problem.preferences().end());
  if (options.quality == Quality::nearest) {
    seed_ = seed;
    pulls_.push_back({seed_.data(), nullptr, 1.0});
  } else if (options.quality == Quality::centered) {
    // Towards the middle of the limits, each joint in parts of its own range; unlimited ones are left alone.
    if (centre_.size() != model.q_size()) centre_ = neutral_pose(model);
    centre_gain_.setZero(model.v_size());
    for (int c = 0; c < system.columns(); ++c) {
      const GoalSystem::Column& column = system.column_list()[at(c)];
      const double range = upper_[at(c)] - lower_[at(c)];
      if (column.ball >= 0 || !std::isfinite(range) || !(range > 0.0)) continue;
      centre_[column.coordinate] = 0.5 * (lower_[at(c)] + upper_[at(c)]);
      centre_gain_[column.velocity] = 4.0 * column.unit * column.unit / (range * range);
    }
    pulls_.push_back({centre_.data(), centre_gain_.data(), 1.0});
  }
  double& stiffest = stiffest_;
  stiffest = 0.0;
  for (int c = 0; c < system.columns(); ++c) {
    for (const Preference& pull : pulls_) stiffness_[at(c)] += pull.gain_of(system.column_list()[at(c)].velocity);
    if (mobility_[at(c)] > 0.0) stiffest = std::max(stiffest, stiffness_[at(c)]);
  }
  has_preference_ = stiffest > 0.0;
  softest_ = 0.0;
  for (int c = 0; has_preference_ && c < system.columns(); ++c) {
    if (mobility_[at(c)] <= 0.0) continue;
    softness_[at(c)] = 1.0 / (stiffness_[at(c)] / stiffest + kOwnStiffness / mobility_[at(c)]);
    softest_ = std::max(softest_, softness_[at(c)]);
  }
}

// The change that the preferences ask for, internal units, and nothing where they ask for nothing.
void ReachStep::find_pull(const GoalSystem& system, const double* q) {
  std::fill(pull_.begin(), pull_.end(), 0.0);
  double v[kMaxJointVelocities];
  for (const Preference& pull : pulls_) {
    for (int c = 0; c < system.columns(); ++c) {
      const GoalSystem::Column& column = system.column_list()[at(c)];
      if (mobility_[at(c)] <= 0.0) continue;
      const double gain = pull.gain_of(column.velocity);
      if (gain <= 0.0) continue;
      if (column.ball <= 0) {  // the first velocity of a ball computes all three
        const ModelJoint& joint = model_.joint(column.joint);
        if (column.ball == 0) {
          const Vec3 w = log_rotation(joint_detail::quaternion(q + column.coordinate).conjugate() *
                                      joint_detail::quaternion(pull.desired + column.coordinate));
          for (int i = 0; i < 3; ++i) v[i] = w[i];
        } else {
          v[0] = pull.desired[column.coordinate] - q[column.coordinate];
          if (goes_short_way(joint.type)) v[0] = wrap_angle(v[0]);
        }
      }
      pull_[at(c)] += gain * v[std::max<int>(column.ball, 0)] / column.unit;
    }
  }
}

double ReachStep::preference_cost(const GoalSystem& system, const double* q) {
  find_pull(system, q);
  double sum = 0.0;
  for (double p : pull_) sum += p * p;
  return sum;
}

bool ReachStep::settle_others(const GoalSystem& system, double* q) const {
  if (pulls_.empty()) return false;
  bool settled = false;
  const CompiledProblem& problem = system.problem();
  const Model& model = problem.model();
  double v[kMaxJointVelocities];
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.v_count == 0) continue;
    bool other = false;
    for (int i = 0; i < joint.v_count; ++i) other = other || system.column_of(joint.v_index + i) < 0;
    if (!other) continue;
    double wanted[kMaxJointVelocities] = {};
    double gains[kMaxJointVelocities] = {};
    for (const Preference& pull : pulls_) {
      difference_coordinates(joint.type, q + joint.q_index, pull.desired + joint.q_index, v);
      for (int i = 0; i < joint.v_count; ++i) {
        const double gain = pull.gain_of(joint.v_index + i);
        wanted[i] += gain * v[i];
        gains[i] += gain;
      }
    }
    bool moves = false;
    for (int i = 0; i < joint.v_count; ++i) {
      const int velocity = joint.v_index + i;
      const bool free = system.column_of(velocity) < 0 && problem.joint_weight(velocity) > 0.0 && gains[i] > 0.0;
      v[i] = free ? wanted[i] / gains[i] : 0.0;
      moves = moves || v[i] != 0.0;
    }
    if (moves) integrate_coordinates(joint.type, q + joint.q_index, v, q + joint.q_index);
    settled = settled || moves;
  }
  return settled;
}

}  // namespace armature::inline v0_2
