#include "armature/solve/methods/follow_box.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kFar = 0.3;  // radians from its cone at which a ball cannot meet it in one step
constexpr double kAt = 1e-9;  // radians: how near to a bound is at it

}  // namespace

void FollowBox::prepare(const CompiledProblem& problem, const GoalSystem& system) {
  const Model& model = problem.model();
  const std::size_t n = at(system.columns());
  for (std::vector<double>* each : {&limit_low_, &limit_up_, &lower_, &upper_}) each->resize(n);
  movable_.resize(n);
  for (int c = 0; c < system.columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    limit_low_[at(c)] = column.ball < 0 ? problem.lower()[column.coordinate] : -HUGE_VAL;
    limit_up_[at(c)] = column.ball < 0 ? problem.upper()[column.coordinate] : HUGE_VAL;
    movable_[at(c)] = problem.joint_weight(column.velocity) > 0.0;
  }
  if (layout_ == system.layout()) return;
  layout_ = system.layout();
  balls_.clear();
  for (int c = 0; c < system.columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    if (column.ball != 0) continue;
    Ball ball{c, column.coordinate, false, {}, -1.0};
    if (const auto& cone = model.joint(column.joint).cone) {
      ball.limited = true;
      ball.cone = *cone;
      const double half = math::cos(0.5 * std::max(0.0, std::min(kPi, cone->swing) - kFar));
      ball.near_swing = half * half;
    }
    balls_.push_back(ball);
  }
  walls_.reserve(4 * balls_.size());
}

void FollowBox::set(const GoalSystem& system, const VecX& from, const VecX& reach) {
  from_ = from;
  for (int c = 0; c < system.columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    if (column.ball >= 0) continue;
    const double value = from[column.coordinate];
    const double far = reach[column.velocity];
    lower_[at(c)] = std::max(limit_low_[at(c)], value - far);
    upper_[at(c)] = std::min(limit_up_[at(c)], value + far);
  }
  for (Ball& ball : balls_) {
    const int v = system.column_list()[at(ball.column)].velocity;
    ball.reach = std::min({reach[v], reach[v + 1], reach[v + 2]});
  }
}

// With r = (v, w) the rotation and a the cone's axis: the swing grows along r^-1 (a x r a), the twist 2 atan2(v.a, w)
// along (w^2 a + w a x v + (a.v) v) / (w^2 + (a.v)^2).
std::vector<FollowBox::Wall>& FollowBox::walls_at(const double* q) {
  walls_.clear();
  for (const Ball& ball : balls_) {
    if (!movable(ball.column)) continue;
    const Quat r = joint_detail::quaternion(q + ball.coordinate);
    if (ball.limited) {
      const Vec3& a = ball.cone.axis;
      const double along = r.vec().dot(a);
      const double scale = r.w() * r.w() + along * along;  // cos^2(swing/2)
      if (ball.cone.swing < kPi && scale <= ball.near_swing) {
        const double swing = 2.0 * math::acos(std::min(1.0, std::sqrt(scale)));
        // In the child's frame: u is where the axis a was, n the direction that swings it further, m the one that
        // leads round the cone, whose circle curves inwards.
        const Vec3 u = r.conjugate() * a;
        const Vec3 n = u.cross(a);
        const double norm = n.norm();  // sine of the swing
        if (norm > 1e-6) {
          const Vec3 m = (n / norm).cross(u);
          Wall wall{ball.column, n / norm, std::max(0.0, ball.cone.swing - swing), true};
          wall.bend = (math::cos(swing) / norm) * m * m.transpose() - 0.5 * (m * u.transpose() + u * m.transpose());
          walls_.push_back(wall);
        }
      }
      if (scale > 1e-12) {
        const double sign = r.w() < 0.0 ? -1.0 : 1.0;
        const double twist = 2.0 * math::atan2(sign * along, sign * r.w());
        const Vec3 grows = (r.w() * r.w() * a + r.w() * a.cross(r.vec()) + along * r.vec()) / scale;
        const double norm = grows.norm();
        const auto add = [&](double gap, double side) {
          if (norm > 1e-9 && gap < kFar)
            walls_.push_back({ball.column, side * grows / norm, std::max(0.0, gap) / norm, true});
        };
        if (ball.cone.twist_upper < kPi) add(ball.cone.twist_upper - twist, 1.0);
        if (ball.cone.twist_lower > -kPi) add(twist - ball.cone.twist_lower, -1.0);
      }
    }
    if (!(ball.reach < kPi)) continue;
    const Vec3 turned = log_rotation(joint_detail::quaternion(from_.data() + ball.coordinate).conjugate() * r);
    const double angle = turned.norm();
    Wall wall{ball.column, Vec3::Zero(), HUGE_VAL, false};
    wall.reach = ball.reach;
    wall.turned = turned;
    if (angle > ball.reach - 1e-6 && angle > 1e-6) {
      wall.outward = turned / angle;
      wall.gap = std::max(0.0, ball.reach - angle);
      wall.bend = (Mat3::Identity() - wall.outward * wall.outward.transpose()) / angle;
    }
    walls_.push_back(wall);
  }
  return walls_;
}

void FollowBox::apply(const GoalSystem& system, const double* q, const double* x, double* out) const {
  for (int c = 0; c < system.columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    if (column.ball >= 0 || !movable(c)) continue;
    const double next = q[column.coordinate] + column.unit * x[c];
    out[column.coordinate] = std::min(upper_[at(c)], std::max(lower_[at(c)], next));
  }
  for (const Ball& ball : balls_) {
    if (!movable(ball.column)) continue;
    const double* w = x + ball.column;
    Quat r = (joint_detail::quaternion(q + ball.coordinate) * exp_rotation(Vec3(w[0], w[1], w[2]))).normalized();
    if (ball.limited) clamp_to_cone(ball.cone, r);
    if (ball.reach < kPi) {
      const Quat from = joint_detail::quaternion(from_.data() + ball.coordinate);
      const Vec3 turned = log_rotation(from.conjugate() * r);
      const double angle = turned.norm();
      // A cone's rotations are not quite convex: shortened a little more until both hold.
      for (int k = 0; angle > ball.reach && k < 8; ++k) {
        const double share = k < 7 ? (1.0 - 0.1 * k) * ball.reach / angle : 0.0;
        r = (from * exp_rotation(turned * share)).normalized();
        if (!ball.limited || !clamp_to_cone(ball.cone, r)) break;
        if (log_rotation(from.conjugate() * r).norm() <= ball.reach) break;
      }
    }
    for (int i = 0; i < 4; ++i) out[ball.coordinate + i] = r.coeffs()[i];
  }
}

bool FollowBox::touches(const GoalSystem& system, const double* q) const {
  for (int c = 0; c < system.columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    if (column.ball >= 0 || !movable(c)) continue;
    const double value = q[column.coordinate];
    const double at_bound = kAt * column.unit;
    if (value <= lower_[at(c)] + at_bound && lower_[at(c)] > limit_low_[at(c)]) return true;
    if (value >= upper_[at(c)] - at_bound && upper_[at(c)] < limit_up_[at(c)]) return true;
  }
  for (const Ball& ball : balls_) {
    if (!(ball.reach < kPi)) continue;
    const Quat r = joint_detail::quaternion(q + ball.coordinate);
    const Vec3 turned = log_rotation(joint_detail::quaternion(from_.data() + ball.coordinate).conjugate() * r);
    if (turned.norm() >= ball.reach - 1e-6) return true;
  }
  return false;
}

}  // namespace armature::inline v0_2
