#include "armature/kinematics/analytic/spherical.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/kinematics/analytic/triple.hpp"

namespace armature::inline v0_2::analytic {

// Square of a sine that counts as none; closed.inl says why it is so large.
constexpr double kInLine = 1e-20;

bool make_spherical(const Arm& arm, double tolerance, SphericalArm& out) {
  if (arm.count != 6) return false;
  for (const int first : {3, 0, 2, 1}) {
    if (arm.slides[first] || arm.slides[first + 1] || arm.slides[first + 2]) continue;
    if (parallel_gap(arm, first, first + 1) < 1e-3 || parallel_gap(arm, first + 1, first + 2) < 1e-3) continue;
    double gap = 0.0;
    const Vec3 c = meeting_point(arm, first, 3, gap);
    if (!(gap < tolerance)) continue;
    out.arm = arm;
    out.first = first;
    out.center = c;
    out.defect = gap;
    return true;
  }
  return false;
}

int solve_rotation(const Vec3* k, const Mat3& R, double start0, double angles[2][3], bool& free) {
  const Mat3 f0 = frame_about(k[0]), f2 = frame_about(k[2]);
  const Vec3 a = f0.transpose() * (R * k[2]);
  const double c = k[0].dot(k[1]) * k[1].dot(k[2]), A = k[0].dot(k[2]) - c, B = k[0].dot(k[1].cross(k[2]));
  const double r2 = A * A + B * B, r = std::sqrt(r2), across = a.x() * a.x() + a.y() * a.y();
  const bool right = std::abs(k[0].dot(k[1])) < 1e-14 && std::abs(k[1].dot(k[2])) < 1e-14;
  free = across < kInLine;
  double C = a.z() - c, d = right ? across : r2 - C * C;
  if (free && std::abs(C) > 0.5 * r) d = 0.0;
  if (d < 0.0 && std::abs(C) - r > 1e-11) return 0;
  if (d <= 0.0) {
    C = std::copysign(r, C);
    d = 0.0;
  }
  const double root = std::sqrt(d);
  int n = 0;
  for (const double sign : {1.0, -1.0}) {
    const double a1 = math::atan2(B * C + sign * A * root, A * C - sign * B * root);
    const Mat3 R1 = rotation_about(k[1], a1);
    const Vec3 x = f0.transpose() * (R1 * k[2]);
    double a0 = math::atan2(x.x() * a.y() - x.y() * a.x(), x.x() * a.x() + x.y() * a.y());
    if (free) a0 = start0;
    const Mat3 rest = R1.transpose() * rotation_about(k[0], -a0) * R;
    const Vec3 side = f2.transpose() * (rest * f2.col(0));
    angles[n][0] = a0;
    angles[n][1] = a1;
    angles[n++][2] = math::atan2(side.y(), side.x());
    if (root == 0.0) break;
  }
  return n;
}

void solve(const SphericalArm& s, const Transform& goal, const double* start, ArmAnswers& out) {
  out.clear();
  const Arm& arm = s.arm;
  const Transform X = goal * arm.tip.inverse();
  const int behind = 3 - s.first;  // joints after the triple
  Triple t;
  int joint[3];
  double start3[3];
  for (int i = 0; i < 3; ++i) {
    const bool front = i >= behind;
    joint[i] = front ? i - behind : s.first + 3 + i;
    t.slides[i] = arm.slides[joint[i]];
    t.axis[i] = front ? arm.axis[joint[i]] : Vec3(X.rotation * arm.axis[joint[i]]);
    t.point[i] = front ? arm.point[joint[i]] : X * arm.point[joint[i]];
    start3[i] = start[joint[i]];
  }
  TripleAnswers places;
  solve_triple(t, s.center, X * s.center, start3, places);
  out.complete = places.complete;
  for (int i = 0; i < 3; ++i) out.free_joints |= ((places.free_joints >> i) & 1u) << joint[i];
  for (int k = 0; k < places.count; ++k) {
    double q[kMaxArmJoints] = {};
    for (int i = 0; i < 3; ++i) q[joint[i]] = places.value[k][i];
    Mat3 before = Mat3::Identity(), after = Mat3::Identity();
    for (int i = 0; i < s.first; ++i) before = before * joint_motion(arm, i, q[i]).rotation;
    for (int i = s.first + 3; i < 6; ++i) after = after * joint_motion(arm, i, q[i]).rotation;
    double angles[2][3];
    bool free = false;
    const int n = solve_rotation(arm.axis + s.first, before.transpose() * X.rotation * after.transpose(),
                                 start[s.first], angles, free);
    if (free) out.free_joints |= (1u << s.first) | (1u << (s.first + 2));
    for (int m = 0; m < n; ++m) {
      std::copy(angles[m], angles[m] + 3, q + s.first);
      double pose[kMaxArmJoints];
      std::copy(q, q + 6, pose);
      double error = pose_error(arm, goal, pose);
      // Where two axes are one line a step would move the joint that is free.
      if (error > (free ? 1e-10 : 1e-13)) error = polish(arm, goal, pose, 10);
      if (error < 1e-9) {
        add_answer(arm, pose, error, 1e-7, out);
      } else {
        out.complete = false;
      }
    }
  }
}

}  // namespace armature::inline v0_2::analytic
