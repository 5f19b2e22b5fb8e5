#include "armature/solve/follower.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature {
namespace {

Status check_limits(const char* what, const VecX& values, int size) {
  if (values.size() == 0) return {};
  if (values.size() != size) return Error{"The follower's '" + std::string(what) + "' needs one number per velocity."};
  if (!(values.minCoeff() > 0.0)) return Error{"The follower's '" + std::string(what) + "' must be positive."};
  return {};
}

}  // namespace

Follower::Follower(const Problem& problem, const VecX& start, const FollowerOptions& options)
    : problem_(problem), options_(options) {
  follow.settings.recover_choice.index = static_cast<int>(Recover::never);  // a machine does not swing over by itself
  status_ = check_problem(problem_);
  if (!status_.ok()) return;
  const Model& model = problem_.model;
  if (start.size() != model.q_size() || !start.allFinite()) {
    status_ = Error{"The start pose needs " + std::to_string(model.q_size()) + " finite numbers."};
    return;
  }
  if (!(options.velocity_scale > 0.0) || !(options.velocity_scale <= 1.0)) {
    status_ = Error{"The follower's 'velocity_scale' must be above 0 and at most 1."};
    return;
  }
  if (status_ = check_limits("velocity", options.velocity, model.v_size()); !status_.ok()) return;
  if (status_ = check_limits("acceleration", options.acceleration, model.v_size()); !status_.ok()) return;
  limit_ = options.velocity.size() > 0 ? options.velocity : model.velocity_limit();
  acceleration_ = options.acceleration.size() > 0 ? options.acceleration : VecX::Constant(model.v_size(), HUGE_VAL);
  for (int v = 0; v < model.v_size(); ++v) {
    const ModelJoint& joint = model.joint(model.velocity_joint(v));
    const bool slides = coordinates(joint.type)[at(v - joint.v_index)] == Coordinate::length;
    if (!std::isfinite(limit_[v])) limit_[v] = options.default_velocity * (slides ? model.size() : 1.0);
  }
  limit_ *= options.velocity_scale;
  now_.q = start;
  clamp(model, now_.q);
  now_.velocity = VecX::Zero(model.v_size());
  reference_ = now_.q;
  reach_ = wanted_ = VecX::Zero(model.v_size());
  follow.begin(problem_, reference_);
  now_.report = &follow.solve_within(problem_, reference_, reach_);  // takes its memory now
  reference_ = now_.report->q;
}

bool Follower::set_target(int i, const Vec3& place) {
  if (auto* position = std::get_if<PositionGoal>(&goal(i))) {
    position->target = place;
  } else if (auto* aim = std::get_if<AimGoal>(&goal(i))) {
    aim->target = place;
  } else if (auto* pose = std::get_if<PoseGoal>(&goal(i))) {
    pose->target.translation = place;
  } else {
    return false;
  }
  return true;
}

bool Follower::set_target(int i, const Transform& target) {
  if (auto* pose = std::get_if<PoseGoal>(&goal(i))) {
    pose->target = target;
  } else if (auto* orientation = std::get_if<OrientationGoal>(&goal(i))) {
    orientation->target = target.quaternion();
  } else {
    return set_target(i, target.translation);
  }
  return true;
}

bool Follower::at_rest() const { return now_.velocity.isZero(0.0); }

const FollowerStep& Follower::step(double dt) {
  if (!status_.ok() || !(dt > 0.0) || !std::isfinite(dt)) return now_;
  const Model& model = problem_.model;
  if (!stopping_) {
    reach_ = dt * limit_;
    // A ball turns by the norm of its three velocities: each has its share.
    for (const ModelJoint& joint : model.joints()) {
      if (joint.mimic || joint.q_count == joint.v_count) continue;
      for (int i = joint.v_count - 3; i < joint.v_count; ++i) reach_[joint.v_index + i] *= 0.57;
    }
    now_.report = &follow.solve_within(problem_, reference_, reach_);
    reference_ = now_.report->q;
  }
  difference(model, now_.q.data(), reference_.data(), wanted_.data());
  for (int v = 0; v < model.v_size(); ++v) {
    const double a = acceleration_[v];
    const double before = now_.velocity[v];
    double speed = stopping_ ? 0.0 : std::clamp(wanted_[v] / dt, -limit_[v], limit_[v]);
    if (std::isfinite(a)) {
      // As fast as still allows to brake to rest at the reference; then no faster change than the acceleration.
      const double tick = 0.5 * a * dt;
      const double brake = std::sqrt(tick * tick + 2.0 * a * std::abs(wanted_[v])) - tick;
      speed = std::clamp(speed, -brake, brake);
      if (stopping_) speed = 0.0;
      speed = std::clamp(speed, before - a * dt, before + a * dt);
    }
    now_.velocity[v] = speed;
  }
  wanted_ = dt * now_.velocity;
  integrate(model, now_.q.data(), wanted_.data(), now_.q.data());
  if (stopping_ && at_rest()) {  // from here on when it goes on
    reference_ = now_.q;
    follow.go_on_from(reference_);
  }
  return now_;
}

}  // namespace armature
