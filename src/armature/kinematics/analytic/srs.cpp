#include "armature/kinematics/analytic/srs.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/kinematics/analytic/triple.hpp"

namespace armature::inline v0_2::analytic {
namespace {

Mat3 turn(const Vec3& axis, double angle) { return rotation_about(axis, angle); }

/// The shortest turn that takes the direction of `from` to that of `to`; where they are opposite, one of them.
Mat3 turn_between(const Vec3& from, const Vec3& to) {
  const Vec3 a = from.normalized(), b = to.normalized();
  if (a.dot(b) < -0.9) {
    const Vec3 side = a.unitOrthogonal();
    return turn_between(-a, b) * (2.0 * side * side.transpose() - Mat3::Identity());
  }
  const Vec3 v = a.cross(b);
  Mat3 skew;
  skew << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return Mat3::Identity() + skew + skew * skew / (1.0 + a.dot(b));
}

/// R(k0) R(k1) R(k2) = R, one of its two branches; false when there is none.
bool euler(const Vec3* k, const Mat3& R, int branch, double* q) {
  const Mat3 f0 = frame_about(k[0]), f2 = frame_about(k[2]);
  const Vec3 a = f0.transpose() * (R * k[2]);
  const double c = k[0].dot(k[1]) * k[1].dot(k[2]), A = k[0].dot(k[2]) - c, B = k[0].dot(k[1].cross(k[2]));
  const bool right = std::abs(k[0].dot(k[1])) < 1e-14 && std::abs(k[1].dot(k[2])) < 1e-14;
  const double C = a.z() - c, r2 = A * A + B * B, d = right ? a.x() * a.x() + a.y() * a.y() : r2 - C * C;
  if (d < 0.0 && std::abs(C) - std::sqrt(r2) > 1e-11) return false;
  const double root = (branch == 0 ? 1.0 : -1.0) * std::sqrt(std::max(0.0, d));
  q[1] = math::atan2(B * C + A * root, A * C - B * root);
  const Mat3 R1 = turn(k[1], q[1]);
  const Vec3 x = f0.transpose() * (R1 * k[2]);
  q[0] = math::atan2(x.x() * a.y() - x.y() * a.x(), x.x() * a.x() + x.y() * a.y());
  const Vec3 side = f2.transpose() * (R1.transpose() * (turn(k[0], -q[0]) * (R * f2.col(0))));
  q[2] = math::atan2(side.y(), side.x());
  return true;
}

bool inside(double q, double lower, double upper) {
  if (upper - lower >= 2.0 * kPi) return true;
  const double turns = std::ceil((lower - q) / (2.0 * kPi) - 1e-12);
  return q + 2.0 * kPi * turns <= upper + 1e-12;
}

}  // namespace

bool make_srs(const Arm& arm, double tolerance, SrsArm& out) {
  if (arm.count != 7 || std::any_of(arm.slides, arm.slides + 7, [](bool s) { return s; })) return false;
  for (const int i : {0, 1, 4, 5}) {
    if (parallel_gap(arm, i, i + 1) < 1e-3) return false;
  }
  double gap_s = 0.0, gap_w = 0.0;
  out.arm = arm;
  out.shoulder = meeting_point(arm, 0, 3, gap_s);
  out.wrist = meeting_point(arm, 4, 3, gap_w);
  out.defect = std::max(gap_s, gap_w);
  const Vec3 n = arm.point[3] - out.shoulder, u = out.wrist - arm.point[3], &z = arm.axis[3];
  const double c = n.dot(z) * z.dot(u);
  out.a4 = n.dot(u) - c;
  out.b4 = n.dot(z.cross(u));
  out.square = n.squaredNorm() + u.squaredNorm() + 2.0 * c;
  return out.defect < tolerance && out.a4 * out.a4 + out.b4 * out.b4 > 1e-12;
}

SrsPose place(const SrsArm& s, const Transform& goal) {
  SrsPose pose;
  const Transform X = goal * s.arm.tip.inverse();
  const Vec3 v = X * s.wrist - s.shoulder;
  pose.rotation = X.rotation;
  const double c = 0.5 * (v.squaredNorm() - s.square), r = math::hypot(s.a4, s.b4);
  pose.elbows = solve_turn(s.a4, s.b4, c, 1e-11, pose.elbow);
  pose.clear_margin = pose.elbows == 2 || std::abs(c) - r > 1e-4;
  if (v.norm() < 1e-12) pose.elbows = 0;  // the wrist in the shoulder: no line to turn about
  if (pose.elbows == 0) return pose;
  pose.line = v.normalized();
  for (int e = 0; e < pose.elbows; ++e) {
    const Vec3 bent = s.arm.point[3] + turn(s.arm.axis[3], pose.elbow[e]) * (s.wrist - s.arm.point[3]) - s.shoulder;
    pose.shoulder[e] = turn_between(bent, v);
  }
  return pose;
}

bool values_at(const SrsArm& s, const SrsPose& pose, int branch, double psi, double* q) {
  const int e = branch >> 2;
  if (e >= pose.elbows) return false;
  const Mat3 R = turn(pose.line, psi) * pose.shoulder[e];
  q[3] = pose.elbow[e];
  return euler(s.arm.axis, R, branch & 1, q) &&
         euler(s.arm.axis + 4, turn(s.arm.axis[3], -q[3]) * R.transpose() * pose.rotation, (branch >> 1) & 1, q + 4);
}

void free_angles(const SrsArm& s, const SrsPose& pose, int branch, const double* lower, const double* upper,
                 ArmAngles& out) {
  out.count = 0;
  const int e = branch >> 2;
  if (e >= pose.elbows || !inside(pose.elbow[e], lower[3], upper[3])) return;
  const Vec3* k = s.arm.axis;
  const Mat3& R0 = pose.shoulder[e];
  const Mat3 W0 = R0 * turn(k[3], pose.elbow[e]);  // R1234 at psi = 0; the wrist has R1234^T X
  double edge[96];
  int edges = 0;
  // left . R(line, psi) right = c
  const auto add = [&](const Vec3& left, const Vec3& right, double c) {
    const double along = left.dot(pose.line) * pose.line.dot(right);
    double root[2];
    const int n = solve_turn(left.dot(right) - along, left.dot(pose.line.cross(right)), c - along, 0.0, root);
    for (int i = 0; i < n && edges < 94; ++i) edge[edges++] = root[i];
  };
  for (int side = 0; side < 3; ++side) {  // limits, and the seam at pi
    for (int j = 0; j < 3; ++j) {
      const auto at = [&](int i) { return side == 0 ? lower[i] : side == 1 ? upper[i] : kPi; };
      const auto limited = [&](int i) { return std::isfinite(at(i)) && upper[i] - lower[i] < 2.0 * kPi; };
      if (limited(j)) {
        const double l = at(j);
        if (j == 0) add(turn(k[0], l) * k[1], R0 * k[2], k[1].dot(k[2]));
        if (j == 1) add(k[0], R0 * k[2], k[0].dot(turn(k[1], l) * k[2]));
        if (j == 2) add(k[0], R0 * (turn(k[2], -l) * k[1]), k[0].dot(k[1]));
      }
      if (limited(4 + j)) {
        const double l = at(4 + j);
        const auto wrist = [&](const Vec3& x, const Vec3& y, double c) { add(pose.rotation * y, W0 * x, c); };
        if (j == 0) wrist(turn(k[4], l) * k[5], k[6], k[5].dot(k[6]));
        if (j == 1) wrist(k[4], k[6], k[4].dot(turn(k[5], l) * k[6]));
        if (j == 2) wrist(k[4], turn(k[6], -l) * k[5], k[4].dot(k[5]));
      }
    }
  }
  // Where the middle joint of the shoulder or wrist has no answer (axes not at right angles).
  for (const int f : {0, 4}) {
    const double c = k[f].dot(k[f + 1]) * k[f + 1].dot(k[f + 2]);
    const double r = math::hypot(k[f].dot(k[f + 2]) - c, k[f].dot(k[f + 1].cross(k[f + 2])));
    for (const double sign : {1.0, -1.0}) {
      if (f == 0) add(k[0], R0 * k[2], c + sign * r);
      if (f == 4) add(pose.rotation * k[6], W0 * k[4], c + sign * r);
    }
  }
  edge[edges++] = -kPi;
  edge[edges++] = kPi;
  std::sort(edge, edge + edges);
  for (int i = 0; i + 1 < edges; ++i) {
    if (edge[i + 1] - edge[i] < 1e-12) continue;
    double q[7];
    if (!values_at(s, pose, branch, 0.5 * (edge[i] + edge[i + 1]), q)) continue;
    bool ok = true;
    for (int j = 0; j < 7 && ok; ++j) ok = inside(q[j], lower[j], upper[j]);
    if (!ok) continue;
    if (out.count > 0 && edge[i] - out.high[out.count - 1] < 1e-12) {
      out.high[out.count - 1] = edge[i + 1];
    } else if (out.count < kMaxIntervals) {
      out.low[out.count] = edge[i];
      out.high[out.count++] = edge[i + 1];
    }
  }
}

double arm_angle(const SrsArm& s, const SrsPose& pose, const double* q) {
  if (pose.elbows == 0) return 0.0;
  const Mat3 R = turn(s.arm.axis[0], q[0]) * turn(s.arm.axis[1], q[1]) * turn(s.arm.axis[2], q[2]);
  // The elbow's direction as the pose has it, against that at psi = 0.
  const Vec3 elbow = s.arm.point[3] - s.shoulder;
  const int e = pose.elbows == 2 && std::abs(std::remainder(q[3] - pose.elbow[1], 2.0 * kPi)) <
                                        std::abs(std::remainder(q[3] - pose.elbow[0], 2.0 * kPi))
                    ? 1
                    : 0;
  const Mat3 f = frame_about(pose.line);
  const Vec3 a = f.transpose() * (pose.shoulder[e] * elbow), b = f.transpose() * (R * elbow);
  return math::atan2(a.x() * b.y() - a.y() * b.x(), a.x() * b.x() + a.y() * b.y());
}

}  // namespace armature::inline v0_2::analytic
