// solve_chain(): the answers of a ChainAnalysis.
#include <algorithm>
#include <cmath>

#include "armature/kinematics/analysis_data.hpp"

namespace armature::inline v0_2::analytic {
namespace {

void take_six(const SixAnswers& from, int locked, double locked_value, ChainAnswers& out) {
  out.complete = from.complete;
  out.no_answer_is_sure = from.complete && from.clear_margin;
  const int joints = locked < 0 ? 6 : 7;
  for (int j = 0; j < joints; ++j) {
    if (j == locked) continue;
    const int from_joint = locked >= 0 && j > locked ? j - 1 : j;
    out.singular_joints |= ((from.free_joints >> from_joint) & 1u) << j;
  }
  for (int k = 0; k < from.count; ++k) {
    double* v = out.value[out.count];
    for (int j = 0; j < joints; ++j)
      v[j] = j == locked ? locked_value : from.q[k][locked >= 0 && j > locked ? j - 1 : j];
    out.curve[out.count] = out.count;
    out.residual[out.count++] = from.residual[k];
  }
}

void take(const ArmAnswers& from, ChainAnswers& out, int joints) {
  out.complete = from.complete;
  out.no_answer_is_sure = from.complete && from.clear_margin;
  out.singular_joints = from.free_joints;
  out.count = from.count;
  for (int k = 0; k < from.count; ++k) {
    std::copy(from.value[k], from.value[k] + joints, out.value[k]);
    out.residual[k] = from.residual[k];
    out.curve[k] = k;
  }
}

void ask(const Transform& goal, const double* start, int joints, double length, bool thorough, SixGoal& out) {
  store(goal.rotation, out.rotation);
  store(Vec3(goal.position * length), out.position);
  for (int j = 0; j < joints; ++j) out.start[j] = start[j];
  out.thorough = thorough;
}

double distance2(const double* a, const double* b, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    const double d = std::remainder(a[i] - b[i], 2.0 * kPi);
    sum += d * d;
  }
  return sum;
}

/// One curve per branch: its points, or the one nearest to the start.
void solve_srs(const SrsArm& arm, const Transform& goal, const double* start, const ChainSolveOptions& options,
               const double* lower, const double* upper, ChainAnswers& out) {
  const SrsPose pose = place(arm, goal);
  out.complete = false;  // curves
  out.no_answer_is_sure = pose.clear_margin;
  const double wanted = arm_angle(arm, pose, start);
  const auto add = [&](int branch, const double* q) {
    std::copy(q, q + 7, out.value[out.count]);
    out.curve[out.count] = branch;
    out.residual[out.count++] = pose_error(arm.arm, goal, q);
  };
  for (int branch = 0; branch < 4 * pose.elbows; ++branch) {
    ArmAngles free;
    free_angles(arm, pose, branch, lower, upper, free);
    if (free.count == 0) continue;
    double q[7];
    if (options.along >= 0.0) {
      double rest = 0.0;
      for (int i = 0; i < free.count; ++i) rest += free.high[i] - free.low[i];
      rest *= options.along;
      int i = 0;
      while (i + 1 < free.count && rest > free.high[i] - free.low[i]) rest -= free.high[i] - free.low[i], ++i;
      if (values_at(arm, pose, branch, free.low[i] + rest, q)) add(branch, q);
      continue;
    }
    // The nearest: of the start's own arm angle, edges and a few points of each interval, then narrowed.
    double best = 1e300, best_psi = 0.0, low = 0.0, high = 0.0;
    constexpr int kPoints = 12;
    for (int i = 0; i < free.count; ++i) {
      for (int n = 0; n <= kPoints + 1; ++n) {
        const double a = free.low[i], b = free.high[i];
        const double psi = n > kPoints ? std::clamp(wanted, a, b) : a + (b - a) * n / kPoints;
        if (!values_at(arm, pose, branch, psi, q)) continue;
        const double d = distance2(q, start, 7);
        if (d >= best) continue;
        best = d;
        best_psi = psi;
        low = std::max(a, psi - (b - a) / kPoints);
        high = std::min(b, psi + (b - a) / kPoints);
      }
    }
    if (!(best < 1e300)) continue;
    const double golden = 0.6180339887498949;
    for (int n = 0; n < 40 && high - low > 1e-9; ++n) {
      const double x = high - golden * (high - low), y = low + golden * (high - low);
      const double dx = values_at(arm, pose, branch, x, q) ? distance2(q, start, 7) : 1e300;
      const double dy = values_at(arm, pose, branch, y, q) ? distance2(q, start, 7) : 1e300;
      if (dx < best) best = dx, best_psi = x;
      if (dy < best) best = dy, best_psi = y;
      (dx < dy ? high : low) = dx < dy ? y : x;
    }
    if (values_at(arm, pose, branch, best_psi, q)) add(branch, q);
  }
}

void solve_locked(const ChainAnalysis& analysis, const Transform& goal, const double* start,
                  const ChainSolveOptions& options, const double* lower, const double* upper, ChainAnswers& out) {
  const ChainAnalysis::Constants& data = *analysis.constants;
  const int joint = analysis.locked_joint;
  const bool thorough = options.thorough;
  double value = start[joint];
  if (options.along >= 0.0) {  // a range of more than one turn says everything twice, a slide has no turns
    const bool slides = data.arm.slides[joint];
    const bool limited = upper[joint] - lower[joint] < (slides ? HUGE_VAL : 2.0 * kPi);
    const double middle = slides ? value : 0.0;
    const double low = limited ? lower[joint] : middle - kPi, high = limited ? upper[joint] : middle + kPi;
    value = low + options.along * (high - low);
  }
  double rest[6];
  for (int j = 0; j < 6; ++j) rest[j] = start[j < joint ? j : j + 1];
  SixGoal asked;
  SixAnswers answers;
  if (joint == 6) {  // the tip was E7(0) tip: shift the goal by what the lock adds
    const Transform& tip = data.arm.tip;
    ask(goal * tip.inverse() * joint_motion(data.arm, 6, value).inverse() * tip, rest, 6, data.six.length, thorough,
        asked);
    solve(data.six, asked, answers);
  } else if (joint == 0) {
    ask(joint_motion(data.arm, 0, value).inverse() * goal, rest, 6, data.six.length, thorough, asked);
    solve(data.six, asked, answers);
  } else {
    const SixArm six = make_six(with_locked(data.arm, joint, value), true);
    ask(goal, rest, 6, six.length, thorough, asked);
    solve(six, asked, answers);
  }
  take_six(answers, joint, value, out);
  out.complete = out.no_answer_is_sure = false;  // of this lock only
}

}  // namespace

/// solve_chain() with names of this namespace at hand.
void solve_analysis(const ChainAnalysis& analysis, const Transform& X_BT, const double* start,
                    const ChainSolveOptions& options, ChainAnswers& out) {
  const ChainAnalysis::Constants& data = *analysis.constants;
  const int n = analysis.joint_count();
  out.count = 0;
  out.complete = true;
  out.no_answer_is_sure = false;
  out.singular_joints = 0;
  const Transform goal = data.arm.to_units(X_BT);
  double from[kMaxAnalyticJoints], lower[kMaxAnalyticJoints], upper[kMaxAnalyticJoints];
  for (int j = 0; j < n; ++j) {
    const double unit = data.arm.slides[j] ? data.arm.length : 1.0;
    const ChainJoint& joint = analysis.chain.joints[static_cast<std::size_t>(j)];
    from[j] = start[j] / unit;
    lower[j] = (options.lower != nullptr ? options.lower[j] : joint.lower) / unit;
    upper[j] = (options.upper != nullptr ? options.upper[j] : joint.upper) / unit;
  }
  switch (analysis.kind) {
    case ChainClass::wrist:
    case ChainClass::parallel:
    case ChainClass::pair:
    case ChainClass::general: {
      SixGoal asked;
      SixAnswers answers;
      ask(goal, from, 6, data.six.length, options.thorough, asked);
      solve(data.six, asked, answers);
      take_six(answers, -1, 0.0, out);
      break;
    }
    case ChainClass::spherical:
    case ChainClass::planar:
    case ChainClass::cartesian:
    case ChainClass::fewer: {
      ArmAnswers answers;
      if (analysis.kind == ChainClass::spherical) {
        solve(data.spherical, goal, from, answers);
      } else if (analysis.kind == ChainClass::planar) {
        solve(data.parallel, goal, from, answers);
      } else if (analysis.kind == ChainClass::cartesian) {
        solve(data.cartesian, goal, from, answers);
      } else {
        solve(data.fewer, goal, from, options.thorough, answers);
      }
      take(answers, out, n);
      break;
    }
    case ChainClass::srs:
      solve_srs(data.srs, goal, from, options, lower, upper, out);
      break;
    case ChainClass::locked:
      solve_locked(analysis, goal, from, options, lower, upper, out);
      break;
  }
  for (int j = 0; j < n; ++j) {
    if (!data.arm.slides[j]) continue;
    for (int k = 0; k < out.count; ++k) out.value[k][j] *= data.arm.length;
  }
}

}  // namespace armature::inline v0_2::analytic

namespace armature::inline v0_2 {

void solve_chain(const ChainAnalysis& analysis, const Transform& X_BT, const double* start,
                 const ChainSolveOptions& options, ChainAnswers& out) {
  analytic::solve_analysis(analysis, X_BT, start, options, out);
}

}  // namespace armature::inline v0_2
