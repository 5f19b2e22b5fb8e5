#include "armature/solve/follower.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/follow.hpp"

namespace armature::inline v0_2 {
namespace {

Status check_limits(const char* what, const VecX& values, int size) {
  if (values.size() == 0) return {};
  if (values.size() != size) return Error{"The follower's '" + std::string(what) + "' needs one number per velocity."};
  if (!(values.minCoeff() > 0.0)) return Error{"The follower's '" + std::string(what) + "' must be positive."};
  return {};
}

// The largest speed from which ticks that each take off at most a dt lead to rest within the distance. A speed v in the
// n-th tick before rest covers dt (n v - a dt n (n - 1) / 2): with the speed of the distance that is left, every next
// tick brakes by exactly a dt.
double fastest_that_stops(double distance, double a, double dt) {
  if (!std::isfinite(distance)) return HUGE_VAL;
  if (!std::isfinite(a)) return distance / dt;
  const double ticks = std::max(1.0, std::ceil(0.5 * (std::sqrt(1.0 + 8.0 * distance / (a * dt * dt)) - 1.0)));
  if (ticks == 1.0) return distance / dt;  // a dt may be infinite
  return distance / (ticks * dt) + 0.5 * a * dt * (ticks - 1.0);
}

// The short way between two poses inside a ball's cone may lead out of it: the ball slides along the cone instead.
void keep_cones(const Model& model, double dt, FollowerStep& step) {
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || !joint.cone) continue;
    double* const r = step.q.data() + joint.q_index + joint.q_count - 4;
    auto velocity = step.velocity.segment<3>(joint.v_index + joint.v_count - 3);
    const Quat outside(r);
    Quat turned = outside;
    if (!clamp_to_cone(*joint.cone, turned)) continue;
    std::copy(turned.coeffs().data(), turned.coeffs().data() + 4, r);
    const Quat before = outside * exp_rotation(Vec3(-dt * velocity));
    velocity = log_rotation(Quat(before.conjugate() * turned)) / dt;
  }
}

// The coordinate that velocity v moves; -1: one of a ball, which has none of its own.
int scalar_of(const Model& model, int v) {
  const ModelJoint& joint = model.joint(model.velocity_joint(v));
  const int scalars = joint.q_count == joint.v_count ? joint.q_count : joint.q_count - 4;
  return v - joint.v_index < scalars ? joint.q_index + v - joint.v_index : -1;
}

}  // namespace

Follower::~Follower() = default;
Follower::Follower(Follower&&) noexcept = default;
Follower& Follower::operator=(Follower&&) noexcept = default;

Follower::Follower(const Problem& problem, const FollowerOptions& options)
    : follow_(std::make_unique<Follow>()), problem_(problem), options_(options) {
  const int own_iterations = follow_->settings.max_iterations;
  static_cast<FollowOptions&>(follow_->settings) = options.follow;
  static_cast<SolveOptions&>(follow_->settings) = options.common;
  if (options.common.max_iterations < 0) follow_->settings.max_iterations = own_iterations;
  follow_->settings.recover = Recover::never;  // a machine does not swing over by itself
  status_ = check_problem(problem_);
  if (!status_.ok()) return;
  const Model& model = problem_.model;
  const VecX start = problem_.start.size() > 0 ? problem_.start : start_pose(model);
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
  limit_ = options.velocity.size() > 0 ? options.velocity : *velocity_limits_of(model, problem_.limits);
  acceleration_ = options.acceleration.size() > 0 ? options.acceleration : VecX::Constant(model.v_size(), HUGE_VAL);
  for (int v = 0; v < model.v_size(); ++v) {
    const ModelJoint& joint = model.joint(model.velocity_joint(v));
    const bool slides = coordinates(joint.type)[at(v - joint.v_index)] == Coordinate::length;
    if (!std::isfinite(limit_[v])) limit_[v] = options.default_velocity * (slides ? model.size() : 1.0);
  }
  limit_ *= options.velocity_scale;
  if (status_ = limits_of(problem_, lower_, upper_); !status_.ok()) return;
  now_.q = start;
  clamp(model, now_.q);
  now_.velocity = VecX::Zero(model.v_size());
  reference_ = now_.q;
  reach_ = wanted_ = VecX::Zero(model.v_size());
  twists_.assign(problem_.goals.size(), {});
  forward(model, now_.q, state_);
  follow_->begin(problem_, reference_);
  now_.report = &follow_->solve_within(problem_, reference_, reach_);  // takes its memory now
  reference_ = now_.report->q;
  if (now_.report->outcome == Outcome::refused) status_ = Error{now_.report->message()};
  if (status_.ok() && problem_.avoids_collisions() && options.acceleration.size() > 0) {
    status_ = Error{
        "Only the reference of a follower keeps clear of obstacles, and joints that brake one by one leave its way: "
        "give "
        "limits of velocity, without 'acceleration'."};
  }
  if (!follow_->keeps_loops()) return;
  now_.q = reference_;
  if (options.acceleration.size() > 0) {
    status_ = Error{
        "Loops tie the goals' joints, and joints of a loop cannot brake one by one: give the follower "
        "limits of velocity, without 'acceleration'."};
  }
}

bool Follower::set_target(int i, const Vec3& place) {
  twists_[at(i)].on = false;
  if (auto* position = std::get_if<PositionGoal>(&goal(i))) {
    position->target = place;
  } else if (auto* aim = std::get_if<AimGoal>(&goal(i))) {
    aim->target = place;
  } else if (auto* pose = std::get_if<PoseGoal>(&goal(i))) {
    pose->target.position = place;
  } else {
    return false;
  }
  return true;
}

bool Follower::set_target(int i, const Transform& target) {
  twists_[at(i)].on = false;
  if (auto* pose = std::get_if<PoseGoal>(&goal(i))) {
    pose->target = target;
  } else if (auto* orientation = std::get_if<OrientationGoal>(&goal(i))) {
    orientation->target = target.quaternion();
  } else {
    return set_target(i, target.position);
  }
  return true;
}

bool Follower::set_twist(int i, const Vec3& linear, const Vec3& angular) {
  const Goal& moved = goal(i);
  const bool framed = std::holds_alternative<PositionGoal>(moved) || std::holds_alternative<PoseGoal>(moved) ||
                      std::holds_alternative<OrientationGoal>(moved);
  const Result<GoalLinks> links = resolve_links(moved, problem_.model, problem_.tip);
  if (!framed || !links || links->base != kWorld) return false;
  Twist& twist = twists_[at(i)];
  const bool went_on = twist.on && twist.link == links->link;
  twist = {linear,
           angular,
           true,
           links->link,
           went_on && twist.stands && linear.isZero(0.0),
           went_on && twist.keeps && angular.isZero(0.0)};
  return true;
}

// Targets that are given by their velocity: a tick further than where the reference has their links, so that a link
// which cannot keep up is not left behind. A velocity of zero takes its target once: taken anew in every tick, what
// the reference is off by within the tolerance would add up.
void Follower::move_targets(double dt) {
  bool any = false;
  for (const Twist& twist : twists_) any = any || (twist.on && !(twist.stands && twist.keeps));
  if (!any) return;
  forward(problem_.model, reference_, state_);
  for (std::size_t i = 0; i < twists_.size(); ++i) {
    Twist& twist = twists_[i];
    if (!twist.on) continue;
    const Transform& X = state_.X_WL[at(twist.link)];
    const Vec3 shift = dt * twist.linear;
    const Quat turned = (exp_rotation(Vec3(dt * twist.angular)) * X.quaternion()).normalized();
    if (auto* position = std::get_if<PositionGoal>(&problem_.goals[i])) {
      if (!twist.stands) position->target = X * position->point + shift;
    } else if (auto* pose = std::get_if<PoseGoal>(&problem_.goals[i])) {
      if (!twist.stands) pose->target.position = X * pose->point + shift;
      if (!twist.keeps) pose->target = Transform::from(turned, pose->target.position);
    } else if (auto* orientation = std::get_if<OrientationGoal>(&problem_.goals[i])) {
      if (!twist.keeps) orientation->target = turned;
    }
    twist.stands = twist.linear.isZero(0.0);
    twist.keeps = twist.angular.isZero(0.0);
  }
}

bool Follower::at_rest() const { return now_.velocity.isZero(0.0); }

const FollowerStep& Follower::step(double dt) {
  if (!status_.ok() || !(dt > 0.0) || !std::isfinite(dt)) return now_;
  const Model& model = problem_.model;
  if (!stopping_) {
    move_targets(dt);
    reach_ = dt * limit_;
    // A ball turns by the norm of its three velocities: each has its share.
    for (const ModelJoint& joint : model.joints()) {
      if (joint.mimic || joint.q_count == joint.v_count) continue;
      for (int i = joint.v_count - 3; i < joint.v_count; ++i) reach_[joint.v_index + i] *= 0.57;
    }
    now_.report = &follow_->solve_within(problem_, reference_, reach_);
    reference_ = now_.report->q;
  }
  difference(model, now_.q.data(), reference_.data(), wanted_.data());
  if (follow_->keeps_loops()) {  // the reference keeps the velocities itself, with its loops closed
    now_.velocity = wanted_ / dt;
    now_.q = reference_;
    return now_;
  }
  for (int v = 0; v < model.v_size(); ++v) {
    const double a = acceleration_[v];
    const double before = now_.velocity[v];
    const auto brake = [&](double distance) { return fastest_that_stops(distance, a, dt); };
    double speed = 0.0;
    if (!stopping_) {
      const double most = std::min(limit_[v], brake(std::abs(wanted_[v])));
      speed = std::clamp(wanted_[v] / dt, -most, most);
    }
    speed = std::clamp(speed, before - a * dt, before + a * dt);
    // The limits come first: the reference may turn back faster than the pose can, and what it overshoots by must not
    // lead out of them.
    if (const int i = scalar_of(model, v); i >= 0) {
      const double up = brake(std::max(0.0, upper_[i] - now_.q[i]));
      const double down = brake(std::max(0.0, now_.q[i] - lower_[i]));
      speed = std::clamp(speed, -down, up);
    }
    now_.velocity[v] = speed;
  }
  wanted_ = dt * now_.velocity;
  integrate(model, now_.q.data(), wanted_.data(), now_.q.data());
  for (int v = 0; v < model.v_size(); ++v) {
    const int i = scalar_of(model, v);
    if (i < 0) continue;
    // The last digits of a long way must not lead out of limits that it began within.
    double& value = now_.q[i];
    if (value < lower_[i] && value - wanted_[v] >= lower_[i]) value = lower_[i];
    if (value > upper_[i] && value - wanted_[v] <= upper_[i]) value = upper_[i];
  }
  keep_cones(model, dt, now_);
  if (stopping_ && at_rest()) {  // from here on when it goes on
    reference_ = now_.q;
    follow_->go_on_from(reference_);
  }
  return now_;
}

}  // namespace armature::inline v0_2
