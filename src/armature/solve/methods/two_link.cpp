#include "armature/solve/methods/two_link.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

Mat3 turn_about(const Vec3& axis, double angle) { return Transform::rotate(axis, angle).rotation; }

}  // namespace

Status TwoLink::check(const Problem& problem, bool quick) const {
  return check_compiled(problem, settings, [quick](CompiledProblem& compiled) {
    Stack stack;
    stack.prepare(compiled);
    CoordinateDescent descent;
    descent.prepare(stack);
    Limb limb;
    Status status = find_limb(stack, descent, limb);
    if (status.ok() && quick && limb.shoulder_count == 3) {
      status = Error{"A limb whose shoulder is three single axes is answered sooner by 'reach'."};
    }
    return status;
  });
}

// Adds to a scalar coordinate, by full turns into its limits where possible; false when it had to be clamped.
bool TwoLink::add(int handle, double amount, double* q) const {
  const int i = descent_.handles[at(handle)].coordinate;
  const double low = loop_.stack.lower()[i];
  const double high = loop_.stack.upper()[i];
  double value = q[i] + amount;
  if (value < low) value += 2.0 * kPi * std::ceil((low - value) / (2.0 * kPi) - 1e-12);
  if (value > high) value -= 2.0 * kPi * std::ceil((value - high) / (2.0 * kPi) - 1e-12);
  const double slack = 1e-12;
  const bool inside = value >= low - slack && value <= high + slack;
  if (!inside && q[i] + amount < low) value = low;
  if (!inside && q[i] + amount > high) value = high;
  q[i] = std::max(low, std::min(high, value));
  return inside;
}

// Turns the world beyond some handles by `rotation`; false when limits forbid.
bool TwoLink::set_turns(const int* handles, int count, const Mat3& rotation, double* q) const {
  const Stack& stack = loop_.stack;
  const Handle& first = descent_.handles[at(handles[0])];
  if (first.kind == Handle::Kind::ball) {
    const Mat3& R = stack.state.X_WL[at(first.link)].rotation;
    double* r = q + first.coordinate;
    Quat turned = (joint_detail::quaternion(r) * Quat(Mat3(R.transpose() * rotation * R))).normalized();
    const std::optional<ConeLimit>& cone = stack.model().joint(first.link).cone;
    const bool clamped = cone && clamp_to_cone(*cone, turned);
    for (int k = 0; k < 4; ++k) r[k] = turned.coeffs()[k];
    return !clamped;
  }
  Vec3 axes[3];
  for (int i = 0; i < count; ++i) {
    const Handle& handle = descent_.handles[at(handles[i])];
    axes[i] = world_axis(stack.model(), stack.state, handle.link, handle.velocity, true).direction;
  }
  double one[3] = {0.0, 0.0, 0.0};
  double two[3] = {0.0, 0.0, 0.0};
  if (count == 3) {
    three_axis_angles(axes[0], axes[1], axes[2], rotation, one, two);
  } else {
    // Fewer axes than needed: the nearest rotation, one axis after the other.
    for (int sweep = 0; sweep < 30; ++sweep) {
      for (int i = 0; i < count; ++i) {
        Mat3 left = Mat3::Identity();
        Mat3 right = Mat3::Identity();
        for (int k = 0; k < i; ++k) left = left * turn_about(axes[k], one[k]);
        for (int k = i + 1; k < count; ++k) right = right * turn_about(axes[k], one[k]);
        const Mat3 M = right * rotation.transpose() * left;  // largest trace of Rot(a, t) M
        const Vec3 v(M(1, 2) - M(2, 1), M(2, 0) - M(0, 2), M(0, 1) - M(1, 0));
        one[i] = math::atan2(axes[i].dot(v), M.trace() - axes[i].dot(M * axes[i]));
      }
    }
    std::copy(one, one + 3, two);
  }
  // The solution inside limits, the nearer one if both are.
  double kept[3];
  for (int i = 0; i < count; ++i) kept[i] = q[descent_.handles[at(handles[i])].coordinate];
  const auto put = [&](const double* t) {
    bool inside = true;
    for (int i = 0; i < count; ++i) {
      q[descent_.handles[at(handles[i])].coordinate] = kept[i];
      inside = add(handles[i], t[i], q) && inside;
    }
    return inside;
  };
  const auto size = [&](const double* t) { return t[0] * t[0] + t[1] * t[1] + t[2] * t[2]; };
  const double* near = size(one) <= size(two) ? one : two;
  const double* far = near == one ? two : one;
  return put(near) || put(far) || (put(near), false);
}

void TwoLink::set_wrist(const Mat3& carried_by, double* q) const {
  if (!limb_.turn_wrist) return;
  // The end turns by carried_by * wrist * end_now; that should be end_goal. Axes are those of the seed pose.
  set_turns(limb_.wrist, limb_.wrist_count, carried_by.transpose() * end_goal_ * end_now_.transpose(), q);
}

// The whole pose for one bend of the elbow and one swivel. False when limits forbid it.
bool TwoLink::bend_and_turn(double bend, double swivel, const double* from, double* q) {
  const Stack& stack = loop_.stack;
  std::copy(from, from + stack.model().q_size(), q);
  const Handle& elbow = descent_.handles[at(limb_.elbow)];
  bool inside = true;
  const Mat3 bent = turn_about(axis_, bend);
  if (elbow.kind == Handle::Kind::ball) {
    inside = set_turns(&limb_.elbow, 1, bent, q);
  } else {
    inside = add(limb_.elbow, bend, q);
  }
  const Vec3 from_shoulder = elbow_ + bent * (carried_ - elbow_) - shoulder_;
  const Vec3 wanted = target_ - shoulder_;
  Mat3 turn = Mat3::Identity();
  if (limb_.planar) {
    const Handle& handle = descent_.handles[at(limb_.shoulder[0])];
    const WorldAxis axis = world_axis(stack.model(), stack.state, handle.link, handle.velocity, true);
    const double angle = angle_about(axis.direction, from_shoulder, wanted);
    turn = turn_about(axis.direction, angle);
    inside = add(limb_.shoulder[0], angle, q) && inside;
  } else {
    turn = rotation_between(from_shoulder, wanted).toRotationMatrix();
    if (swivel != 0.0 && wanted.norm() > 0.0) turn = turn_about(wanted.normalized(), swivel) * turn;
    inside = set_turns(limb_.shoulder, limb_.shoulder_count, turn, q) && inside;
  }
  set_wrist(turn * bent, q);
  return inside;
}

void TwoLink::place_limb(double* q) {
  Stack& stack = loop_.stack;
  const Model& model = stack.model();
  const CompiledProblem& problem = stack.problem();
  const FrameTarget& frame = problem.goals()[at(limb_.goal)].frame;
  seed_ = Eigen::Map<const VecX>(q, model.q_size());
  // Everything in the world, at the seed pose.
  const Transform base = frame.base == kWorld ? Transform{} : stack.state.X_WL[at(frame.base)];
  const Transform& X = stack.state.X_WL[at(frame.link)];
  whole_ = frame.position_axes.trivial();
  if (limb_.turn_wrist) {
    const Transform X_WG = base * frame.target * Transform::translate(-frame.point);
    carried_ = X * limb_.carried;
    end_now_ = X.rotation;
    end_goal_ = X_WG.rotation;
    target_ = X_WG * limb_.carried;
  } else {  // without a wrist the end cannot be turned: its point is carried as it stands
    carried_ = X * limb_.carried;
    target_ = base * frame.target.position;
    for (int k = 0; k < 3; ++k) {
      if (frame.position_axes.free[at(k)]) target_[k] = carried_[k];
    }
  }
  const Handle& elbow = descent_.handles[at(limb_.elbow)];
  const Handle& inner = descent_.handles[at(limb_.shoulder[0])];
  shoulder_ = stack.state.X_WL[at(inner.link)].position;
  elbow_ = stack.state.X_WL[at(elbow.link)].position;
  if (limb_.shoulder_count == 3) {
    // Where the three axes meet: the outermost joint's origin moved along its axis to the innermost one's.
    const Handle& outer = descent_.handles[at(limb_.shoulder[2])];
    const WorldAxis a = world_axis(model, stack.state, inner.link, inner.velocity, true);
    const WorldAxis b = world_axis(model, stack.state, outer.link, outer.velocity, true);
    const Handle& middle = descent_.handles[at(limb_.shoulder[1])];
    const WorldAxis m = world_axis(model, stack.state, middle.link, middle.velocity, true);
    const WorldAxis& other = a.direction.cross(b.direction).norm() > 1e-3 ? b : m;
    const double c = a.direction.dot(other.direction);
    const Vec3 between = other.point - a.point;
    shoulder_ = a.point + a.direction * ((a.direction.dot(between) - c * other.direction.dot(between)) / (1.0 - c * c));
  }
  double low = -kPi;
  double high = kPi;
  if (elbow.kind == Handle::Kind::turn) {
    const WorldAxis axis = world_axis(model, stack.state, elbow.link, elbow.velocity, true);
    axis_ = axis.direction;
    elbow_ = axis.point;
    low = stack.lower()[elbow.coordinate] - q[elbow.coordinate];
    high = stack.upper()[elbow.coordinate] - q[elbow.coordinate];
  } else {
    axis_ = (elbow_ - shoulder_).cross(carried_ - elbow_);
    const double scale = (elbow_ - shoulder_).norm() * (carried_ - elbow_).norm();
    axis_ = axis_.norm() > 1e-9 * scale ? Vec3(axis_.normalized()) : (carried_ - shoulder_).unitOrthogonal();
  }
  if (limb_.planar) {  // heights along the axis play no part
    const Vec3 up = axis_ * axis_.dot(shoulder_ - elbow_);
    shoulder_ -= up;
    const Vec3 lift = axis_ * axis_.dot(carried_ - elbow_);
    target_ += axis_ * axis_.dot(elbow_ + lift - target_);
    shoulder_ += lift;
    elbow_ += lift;
  }

  // |shoulder to wrist|^2 = k + a cos(bend) + b sin(bend); both elbows satisfy a cos + b sin = d^2 - k.
  const Vec3 o = elbow_ - shoulder_;
  const Vec3 r = carried_ - elbow_;
  const Vec3 along = axis_ * axis_.dot(r);
  const double k = o.squaredNorm() + r.squaredNorm() + 2.0 * o.dot(along);
  const double a = 2.0 * o.dot(r - along);
  const double b = 2.0 * o.dot(axis_.cross(r));
  const double amplitude = math::hypot(a, b);
  const double d2 = (target_ - shoulder_).squaredNorm();
  const double c = amplitude > 0.0 ? (d2 - k) / amplitude : 0.0;
  const double middle = math::atan2(b, a);  // stretched
  const double half = math::acos(std::clamp(c, -1.0, 1.0));
  proof_.reset();
  const double slack = 2.0 * stack.tolerance;
  if (!whole_) {
    // What is free or within a box is not known yet: nothing is proved.
  } else if (std::sqrt(d2) > std::sqrt(std::max(0.0, k + amplitude)) + slack) {
    proof_ = {ReachBound::beyond, std::sqrt(k + amplitude), std::sqrt(d2)};
  } else if (std::sqrt(d2) < std::sqrt(std::max(0.0, k - amplitude)) - slack) {
    proof_ = {ReachBound::inside_hole, std::sqrt(k - amplitude), std::sqrt(d2)};
  }
  double bends[2] = {wrap_angle(middle + half), wrap_angle(middle - half)};
  // Bends count from the seed; the sign of the elbow's own angle (the stretched pose is 0) is what the option means.
  const bool swap = settings.elbow == Elbow::nearest    ? std::abs(bends[1]) < std::abs(bends[0])
                    : settings.elbow == Elbow::negative ? true
                                                        : false;
  if (swap) std::swap(bends[0], bends[1]);
  const bool only_first = settings.elbow != Elbow::nearest && half > 0.0;
  // Outside the elbow's range: the end of the range that comes nearest to the wanted distance.
  for (double& bend : bends) {
    for (const double turned : {bend, bend - 2.0 * kPi, bend + 2.0 * kPi}) {
      if (turned < low - 1e-12 || turned > high + 1e-12) continue;
      bend = std::clamp(turned, low, high);
      break;
    }
    if (bend < low || bend > high) {
      const auto miss = [&](double t) { return std::abs(k + a * math::cos(t) + b * math::sin(t) - d2); };
      bend = !std::isfinite(high) || (std::isfinite(low) && miss(low) < miss(high)) ? low : high;
    }
  }

  // The swivel that pole or options ask for, else the nearest that limits allow.
  double swivel = settings.swivel;
  bool asked = swivel != 0.0;
  const auto swivel_for = [&](double bend) {
    const Vec3 wanted = target_ - shoulder_;
    if (wanted.norm() == 0.0) return settings.swivel;
    const Vec3 line = wanted.normalized();
    const Vec3 bent = elbow_ + turn_about(axis_, bend) * r - shoulder_;
    const Vec3 lifted = rotation_between(bent, wanted) * o;
    if (limb_.pole >= 0) {
      const CompiledGoal& pole = problem.goals()[at(limb_.pole)];
      const Vec3& target = std::get<PoleGoal>(*pole.goal).target;
      return angle_about(line, lifted, convert_point(stack.state, pole.links.base, kWorld, target) - shoulder_);
    }
    if (settings.swivel_from == SwivelFrom::vertical) {
      const Vec3 down = std::abs(line.z()) > 1.0 - 1e-9 ? Vec3::UnitX() : Vec3(-Vec3::UnitZ());
      return angle_about(line, lifted, down) + settings.swivel;
    }
    return settings.swivel;
  };
  asked = asked || limb_.pole >= 0 || settings.swivel_from == SwivelFrom::vertical;
  double least = std::numeric_limits<double>::infinity();
  if (trial_.size() != seed_.size()) trial_.resize(seed_.size());
  best_ = seed_;
  saved_ = stack.state.X_WL;
  saved_q_ = stack.state.q;
  const auto attempt = [&](double bend, double turn) {
    const bool inside = bend_and_turn(bend, turn, seed_.data(), trial_.data());
    stack.evaluate(trial_.data());
    const double error = stack.error_norm();
    if (error < least) {
      least = error;
      best_ = trial_;
    }
    const bool reached = stack.converged();
    stack.state.X_WL = saved_;  // axes are those of the seed
    stack.state.q = saved_q_;
    return reached && inside;
  };
  bool done = false;
  for (int e = 0; e < (only_first ? 1 : 2) && !done; ++e) {
    swivel = swivel_for(bends[e]);
    done = attempt(bends[e], swivel);
    for (int n = 1; n <= 32 && !done && !asked && !limb_.planar && !proof_; ++n) {
      const int turns = (n + 1) / 2;  // either way, in sixteenths of half a turn
      done = attempt(bends[e], (n % 2 == 1 ? 1.0 : -1.0) * kPi * turns / 16.0);
    }
  }
  std::copy(best_.data(), best_.data() + best_.size(), q);
  difference(model, seed_.data(), q, trial_step_.data());
  for (int col = 0; col < stack.columns(); ++col) stack.step[col] = trial_step_[stack.active[at(col)]];
}

bool TwoLink::nearest() const {
  const Report& report = loop_.report;
  if (!proof_ || report.outcome != Outcome::unreachable || report.proof->bound != proof_->bound) return false;
  const auto parts = static_cast<std::size_t>(limb_.shoulder_count + 1 + limb_.wrist_count);
  if (descent_.handles.size() != parts) return false;
  const GoalReport& error = report.goals[at(limb_.goal)];
  const double least = std::abs(proof_->distance - proof_->length);
  const CompiledGoal& goal = loop_.compiled.goals()[at(limb_.goal)];
  return error.position_error <= least + goal.tolerance && error.orientation_error <= goal.orientation_tolerance;
}

const Report& TwoLink::run(const Problem& problem, ConstVecRef start, Trace* trace) {
  Stack& stack = loop_.stack;
  proof_.reset();
  loop_.uses_jacobian = false;
  loop_.run(
      kTwoLinkInfo, problem, settings, start, trace,
      [&] {
        descent_.prepare(stack);
        const Status status = find_limb(stack, descent_, limb_);
        if (!status.ok()) return status;
        if (trial_step_.size() != problem.model.v_size()) trial_step_.resize(problem.model.v_size());
        stack.evaluate(loop_.report.q.data());  // find_limb() tried another pose
        return status;
      },
      [&](double* pose) {
        place_limb(pose);
        return Move::last;
      });
  Report& report = loop_.report;
  if (proof_ && report.outcome == Outcome::stalled) {
    report.outcome = Outcome::unreachable;
    report.proof = proof_;
  }
  return report;
}

}  // namespace armature::inline v0_2
