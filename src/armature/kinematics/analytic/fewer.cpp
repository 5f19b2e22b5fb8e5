#include "armature/kinematics/analytic/fewer.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/base/rng.hpp"
#include "armature/kinematics/analytic/triple.hpp"

namespace armature::inline v0_2::analytic {
namespace {

constexpr double kZero = 1e-8;  // what counts as nothing for a joint that does not exist

void append(Arm& arm, bool slides, const Vec3& axis, const Vec3& point) {
  arm.slides[arm.count] = slides;
  arm.axis[arm.count] = axis.normalized();
  arm.point[arm.count++] = point;
}

/// A direction in which the first `count` joints cannot move the point by themselves: across a common plane of motion,
/// otherwise away from the last axis.
Vec3 missing_direction(const Arm& arm, int count, const Vec3& point, int which) {
  Vec3 moves[2];
  for (int i = 0; i < count && i < 2; ++i) {
    moves[i] = arm.slides[i] ? arm.axis[i] : Vec3(arm.axis[i].cross(point - arm.point[i]));
  }
  if (count == 1) {
    const Vec3 r = point - arm.point[0], away = r - arm.axis[0] * arm.axis[0].dot(r);
    const Vec3 first = arm.slides[0] || away.norm() < 1e-6 ? arm.axis[0].unitOrthogonal() : Vec3(away.normalized());
    return which == 0 ? first : arm.slides[0] ? Vec3(arm.axis[0].cross(first)) : arm.axis[0];
  }
  const bool turn0 = !arm.slides[0], turn1 = !arm.slides[1];
  if (turn0 && turn1) {
    if (parallel_gap(arm, 0, 1) < 1e-6) return arm.axis[0];
    const Vec3 r = point - arm.point[1], out = r - arm.axis[1] * arm.axis[1].dot(r);
    return out.norm() > 1e-6 ? out : arm.axis[1];
  }
  if (!turn0 && !turn1) return arm.axis[0].cross(arm.axis[1]);
  // One turn, one slide: across the plane of motion where they share one, else away from the axis.
  const int t = turn0 ? 0 : 1, s = 1 - t;
  if (std::abs(arm.axis[t].dot(arm.axis[s])) < 1e-6) return arm.axis[t];
  const Vec3 r = point - arm.point[t], out = r - arm.axis[t] * arm.axis[t].dot(r);
  return out.norm() > 1e-6 ? out : moves[t].cross(moves[s]);
}

Triple first_three(const Arm& arm) {
  Triple t;
  for (int i = 0; i < 3; ++i) {
    t.slides[i] = arm.slides[i];
    t.axis[i] = arm.axis[i];
    t.point[i] = arm.point[i];
  }
  return t;
}

/// Some poses of its own must be found again: a structure that makes the equations vanish shows here.
bool finds_itself(const FewerArm& fewer, const Arm& own) {
  Rng rng(5);
  for (int n = 0; n < 6; ++n) {
    double q[kMaxArmJoints] = {}, start[kMaxArmJoints] = {};
    for (int i = 0; i < own.count; ++i) q[i] = own.slides[i] ? rng.uniform(-0.5, 0.5) : rng.uniform(-3.0, 3.0);
    ArmAnswers out;
    solve(fewer, forward(own, q), start, true, out);
    bool found = false;
    for (int k = 0; k < out.count; ++k) {
      double away = 0.0;
      for (int i = 0; i < own.count; ++i) {
        const double d = out.value[k][i] - q[i];
        away = std::max(away, std::abs(own.slides[i] ? d : std::remainder(d, 2.0 * kPi)));
      }
      found = found || away < 1e-6;
    }
    if (!found || out.free_joints != 0) return false;
  }
  return true;
}

bool make_position(const Arm& arm, const Task& task, FewerArm& out) {
  if (arm.count + (task.free_slide ? 1 : 0) > 3) return false;
  out.kind = FewerKind::position;
  const Vec3 tip = arm.tip.position;
  // An added slide moves the point last of all in the base's axes: E_slide stands first.
  if (task.free_slide) {
    Arm shifted;
    shifted = out.arm;
    shifted.count = 0;
    append(shifted, true, task.axis, Vec3::Zero());
    for (int i = 0; i < arm.count; ++i) append(shifted, arm.slides[i], arm.axis[i], arm.point[i]);
    shifted.tip = arm.tip;
    out.arm = shifted;
    out.mirrored = true;  // own joints come after the added one
    out.free_added = 1;
  }
  for (int n = 0; out.arm.count < 3; ++n) append(out.arm, true, missing_direction(arm, arm.count, tip, n), tip);
  return true;
}

bool make_last_turn(const Arm& arm, FewerArm& out) {
  if (arm.count > 4 || arm.count < 2 || arm.slides[arm.count - 1]) return false;
  out.kind = FewerKind::last_turn;
  const int last = arm.count - 1;
  const Vec3 point = arm.point[last];
  Arm a = arm;
  a.count = last;
  for (int n = 0; a.count < 3; ++n) append(a, true, missing_direction(arm, last, point, n), point);
  append(a, false, arm.axis[last], point);
  a.tip = arm.tip;
  out.arm = a;
  return true;
}

bool make_five(const Arm& arm, bool free_added, bool closed_only, FewerArm& out) {
  if (arm.count != (free_added ? 6 : 5)) return false;
  if (!free_added) {
    // Through the point where the last two axes meet, so that the arm gets a spherical wrist; otherwise through the
    // tip.
    double gap = 1.0;
    Vec3 point = arm.tip.position, axis = arm.tip.rotation.col(2);
    if (!arm.slides[3] && !arm.slides[4] && parallel_gap(arm, 3, 4) > 1e-3) {
      const Vec3 c = meeting_point(arm, 3, 2, gap);
      if (gap < kSnapped) {
        point = c;
        axis = arm.axis[3].cross(arm.axis[4]);
      }
    }
    if (gap >= kSnapped && axis.cross(arm.axis[4]).norm() < 0.1) axis = arm.tip.rotation.col(0);
    append(out.arm, false, axis, point);
  }
  out.kind = FewerKind::six;
  out.six = make_six(out.arm, true);
  out.defect = out.six.defect;
  if (out.six.kind != SixClass::none) return true;
  if (make_spherical(out.arm, kExact, out.spherical) || make_cartesian(out.arm, out.cartesian)) return true;
  out.six = make_six(out.arm, closed_only);
  return out.six.kind != SixClass::none;
}

}  // namespace

bool make_fewer(const Arm& given, const Task& task, bool closed_only, FewerArm& out, const char*& why) {
  Arm arm = given;
  out = FewerArm{};
  out.own = given.count;
  std::copy(given.slides, given.slides + given.count, out.own_slides);
  out.arm = given;
  if (task.position_only) {
    if (given.count + (task.free_slide ? 1 : 0) > 3) {
      why = task.free_slide
                ? "a position with one free direction takes two joints; lock the others, or solve it with `reach`"
                : "a position takes three joints; lock the others, or solve it with `reach`";
      return false;
    }
    if (make_position(given, task, out) && finds_itself(out, given)) return true;
    why = "the equations of these joints vanish, so a position leaves them free or is out of their reach";
    return false;
  }
  if (task.rotation_only) {
    const bool turns = given.count == 3 && !given.slides[0] && !given.slides[1] && !given.slides[2];
    if (!turns || task.free_turn) {
      why = "an orientation takes three joints that turn; lock the others, or solve it with `reach`";
      return false;
    }
    out.kind = FewerKind::rotation;
    if (finds_itself(out, given)) return true;
    why = "two neighbouring axes are parallel, so an orientation leaves them free or is out of their reach";
    return false;
  }
  if (task.free_turn) {
    append(arm, false, arm.tip.rotation * task.axis, arm.tip.position);
    out.arm = arm;
    out.free_added = 1;
  }
  if (arm.count > 6) {
    why = "the goal leaves a turn free, which is one freedom more than the goal has; give the whole pose";
    return false;
  }
  if (arm.count >= 5) {
    if (make_five(arm, task.free_turn && arm.count == 6, closed_only, out) && finds_itself(out, given)) return true;
    why = "its joints are arranged in none of the ways that are known; solve it with `reach`";
    return false;
  }
  if (make_last_turn(arm, out) && finds_itself(out, given)) return true;
  if (arm.count <= 3) {
    out.arm = arm;
    FewerArm plain = out;
    if (make_position(arm, Task{}, plain) && finds_itself(plain, given)) {
      out = plain;
      return true;
    }
  }
  // The first joint turns instead: the arm from its other end.
  if (!task.free_turn && !arm.slides[0]) {
    FewerArm other = out;
    other.mirrored = true;
    other.free_added = 0;
    Arm round = mirrored(arm);
    if (make_last_turn(round, other) && finds_itself(other, given)) {
      out = other;
      return true;
    }
  }
  why = "its joints are arranged in none of the ways that are known; solve it with `reach`";
  return false;
}

void solve(const FewerArm& f, const Transform& goal, const double* start, bool thorough, ArmAnswers& out) {
  out.clear();
  const Arm& arm = f.arm;
  const int total = arm.count;
  // Values of all joints to those of the chain; false when a joint that does not exist would have to move.
  const auto keep = [&](const double* v, double* own) {
    if (f.kind == FewerKind::position && f.mirrored) {  // the free slide stands first
      std::copy(v + 1, v + 1 + f.own, own);
      for (int i = 1 + f.own; i < total; ++i) {
        if (!(std::abs(v[i]) < kZero)) return false;
      }
      return true;
    }
    if (f.kind == FewerKind::last_turn) {
      // Own joints, added slides, then the last turn (the goal's free one, when there is one).
      const int real = f.own - (f.free_added > 0 ? 0 : 1);
      for (int i = real; i < total - 1; ++i) {
        if (!(std::abs(v[i]) < kZero)) return false;
      }
      std::copy(v, v + real, own);
      if (f.free_added == 0) own[real] = v[total - 1];
      if (f.mirrored) std::reverse(own, own + f.own);
      return true;
    }
    std::copy(v, v + f.own, own);
    for (int i = f.own + f.free_added; i < total; ++i) {
      if (!(std::abs(arm.slides[i] ? v[i] : std::remainder(v[i], 2.0 * kPi)) < kZero)) return false;
    }
    return true;
  };
  double full_start[kMaxArmJoints] = {};
  const int shift = f.kind == FewerKind::position && f.mirrored ? 1 : 0;
  for (int i = 0; i < f.own && i + shift < kMaxArmJoints; ++i) full_start[i + shift] = start[i];

  const auto take = [&](const double* v, double residual) {
    double own[kMaxArmJoints];
    if (!keep(v, own)) return;
    Arm same = arm;
    same.count = f.own;
    std::copy(f.own_slides, f.own_slides + f.own, same.slides);
    add_answer(same, own, residual, 1e-9, out);
  };

  if (f.kind == FewerKind::six) {
    if (f.six.kind == SixClass::none) {
      ArmAnswers whole;
      if (f.spherical.first >= 0) {
        solve(f.spherical, goal, full_start, whole);
      } else {
        solve(f.cartesian, goal, full_start, whole);
      }
      out.complete = whole.complete;
      out.free_joints = whole.free_joints;
      for (int k = 0; k < whole.count; ++k) take(whole.value[k], whole.residual[k]);
      return;
    }
    SixAnswers answers;
    SixGoal asked;
    store(goal.rotation, asked.rotation);
    store(Vec3(goal.position * f.six.length), asked.position);
    std::copy(full_start, full_start + 6, asked.start);
    asked.thorough = thorough;
    solve(f.six, asked, answers);
    out.complete = answers.complete;
    out.free_joints = answers.free_joints;
    out.clear_margin = answers.clear_margin;
    for (int k = 0; k < answers.count; ++k) take(answers.q[k], answers.residual[k]);
    return;
  }
  if (f.kind == FewerKind::rotation) {
    double angles[2][3];
    bool free = false;
    const Mat3 R = goal.rotation * arm.tip.rotation.transpose();
    const int count = solve_rotation(arm.axis, R, start[0], angles, free);
    if (free) out.free_joints = 5u;
    for (int k = 0; k < count; ++k) {
      Mat3 turned = Mat3::Identity();
      for (int i = 0; i < 3; ++i) turned = turned * joint_motion(arm, i, angles[k][i]).rotation;
      take(angles[k], (turned - R).norm());
    }
    return;
  }
  TripleAnswers places;
  if (f.kind == FewerKind::position) {
    solve_triple(first_three(arm), arm.tip.position, goal.position, full_start, places);
    out.complete = places.complete;
    out.free_joints = shift != 0 ? places.free_joints >> 1 : places.free_joints;
    for (int k = 0; k < places.count; ++k) {
      const Transform there = forward(arm, places.value[k]);
      double v[kMaxArmJoints];
      std::copy(places.value[k], places.value[k] + 3, v);
      double error = (there.position - goal.position).norm();
      if (error > 1e-13) error = polish(arm, goal, v, 6, true);
      take(v, error);
    }
    return;
  }
  if (f.kind != FewerKind::last_turn) return;
  const Transform motion = goal * arm.tip.inverse();
  const Transform X = f.mirrored ? motion.inverse() : motion;
  const int last = total - 1;
  solve_triple(first_three(arm), arm.point[last], X * arm.point[last], full_start, places);
  out.complete = places.complete;
  out.free_joints = places.free_joints;
  for (int k = 0; k < places.count; ++k) {
    double v[kMaxArmJoints];
    std::copy(places.value[k], places.value[k] + 3, v);
    Mat3 R = Mat3::Identity();
    for (int i = 0; i < last; ++i) R = R * joint_motion(arm, i, v[i]).rotation;
    const Mat3 rest = R.transpose() * X.rotation, frame = frame_about(arm.axis[last]);
    const Vec3 side = frame.transpose() * (rest * frame.col(0));
    v[last] = math::atan2(side.y(), side.x());
    Transform moved;
    for (int i = 0; i < total; ++i) moved = moved * joint_motion(arm, i, v[i]);
    const double error = std::max((moved.position - X.position).norm(), (moved.rotation - X.rotation).norm());
    if (error < 1e-8) take(v, error);
  }
}

}  // namespace armature::inline v0_2::analytic
