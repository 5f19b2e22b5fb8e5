// Classes S and P: constants of closed.inl.
#include <algorithm>
#include <cmath>

#include "armature/kinematics/analytic/six.hpp"

namespace armature::inline v0_2::analytic {
namespace {

constexpr double kApart = 1e-3;    // neighbouring axes that must not be parallel differ by more
constexpr double kRight = 1e-14;   // cosine of what counts as a right angle
constexpr double kNoLink = 1e-12;  // square of what links multiply to when one is missing

Vec3 across(const Vec3& v, const Vec3& h) { return v - h * h.dot(v); }

/// a cos + b sin + c = left . R(axis) right.
void turn_form(const Vec3& left, const Vec3& axis, const Vec3& right, double& a, double& b, double& c) {
  c = left.dot(axis) * axis.dot(right);
  a = left.dot(right) - c;
  b = left.dot(axis.cross(right));
}

void set_wrist(const Arm& arm, SphericalWrist& w) {
  const Vec3 *k = arm.axis, axis4 = k[3], axis5 = k[4], axis6 = k[5];
  const Mat3 f4 = frame_about(axis4), f5 = frame_about(axis5), f6 = frame_about(axis6);
  store(Mat3(f5.transpose() * f4), w.to_5);
  store(Mat3(f6.transpose() * f5), w.to_6);
  turn_form(axis4, axis5, axis6, w.a, w.b, w.c);
  double c = 0.0;
  turn_form(f4.col(0), axis5, axis6, w.x[1], w.x[2], c);
  w.x[0] = c;
  turn_form(f4.col(1), axis5, axis6, w.y[1], w.y[2], c);
  w.y[0] = c;
  store(axis6, w.axis6);
  store(Vec3(f6.col(0)), w.side6);
  w.right = std::abs(axis4.dot(axis5)) < kRight && std::abs(axis5.dot(axis6)) < kRight;
}

/// Joints 2 and 3 in the plane across h: links n and u, coordinates of `frame`.
bool set_planar(const Mat3& frame, const Vec3& n, const Vec3& u, ClosedArm& out) {
  for (int i = 0; i < 2; ++i) {
    out.n[i] = frame.col(i).dot(n);
    out.u[i] = frame.col(i).dot(u);
  }
  out.a3 = out.n[0] * out.u[0] + out.n[1] * out.u[1];
  out.b3 = out.n[1] * out.u[0] - out.n[0] * out.u[1];
  out.square = out.n[0] * out.n[0] + out.n[1] * out.n[1] + out.u[0] * out.u[0] + out.u[1] * out.u[1];
  return out.a3 * out.a3 + out.b3 * out.b3 > kNoLink;
}

void set_first(const Arm& arm, const Vec3& h, const Mat3& frame_h, ClosedArm& out) {
  const Mat3 f1 = frame_about(arm.axis[0]);
  store(f1, out.frame1);
  store(arm.point[0], out.origin1);
  store(Vec3(f1.transpose() * h), out.h);
  store(Mat3(frame_h.transpose() * f1), out.to_h);
  store(Vec3(frame_h.transpose() * (arm.point[0] - arm.point[1])), out.offset);
}

bool make_wrist_parallel(const Arm& given, const Vec3& w, ClosedArm& out) {
  Arm arm = given;
  out.sign3 = arm.axis[1].dot(arm.axis[2]) > 0.0 ? 1.0 : -1.0;
  const Vec3 h = (arm.axis[1] + out.sign3 * arm.axis[2]).normalized();
  const Mat3 frame = frame_about(h);
  set_first(arm, h, frame, out);
  store(w, out.point);
  out.height = h.dot(w - arm.point[0]);
  store(Mat3(frame_about(arm.axis[3]).transpose() * frame), out.to_4);
  set_wrist(arm, out.wrist);
  return set_planar(frame, across(arm.point[2] - arm.point[1], h), across(w - arm.point[2], h), out);
}

bool make_wrist_meeting(const Arm& arm, const Vec3& w, const Vec3& o, ClosedArm& out) {
  const Vec3 n = arm.point[2] - o, u = w - arm.point[2], &z = arm.axis[2];
  const Mat3 f1 = frame_about(arm.axis[0]), f2 = frame_about(arm.axis[1]), f3 = frame_about(z);
  store(f1, out.frame1);
  store(o, out.origin1);
  store(w, out.point);
  store(Mat3(f2.transpose() * f3), out.to_3);
  store(Mat3(f1.transpose() * f2), out.to_2);
  store(Vec3(f2.transpose() * n), out.n3);
  store(Vec3(f3.transpose() * u), out.u3);
  store(Vec3(f2.transpose() * arm.axis[0]), out.g);
  store(Mat3(frame_about(arm.axis[3]).transpose() * f3), out.to_4);
  set_wrist(arm, out.wrist);
  double c = 0.0;
  turn_form(n, z, u, out.a3, out.b3, c);
  out.square = n.squaredNorm() + u.squaredNorm() + 2.0 * c;
  return out.a3 * out.a3 + out.b3 * out.b3 > kNoLink;
}

bool make_parallel(const Arm& arm, const Vec3& c, ClosedArm& out) {
  const Vec3* k = arm.axis;
  out.sign3 = k[1].dot(k[2]) > 0.0 ? 1.0 : -1.0;
  out.sign4 = k[1].dot(k[3]) > 0.0 ? 1.0 : -1.0;
  const Vec3 h = (k[1] + out.sign3 * k[2] + out.sign4 * k[3]).normalized();
  const Mat3 frame = frame_about(h), f5 = frame_about(k[4]), f6 = frame_about(k[5]);
  set_first(arm, h, frame, out);
  store(c, out.point);
  out.height = h.dot(c - arm.point[0]);
  turn_form(h, k[4], k[5], out.a5, out.b5, out.c5);
  // R5^T h: the same form with the angle negated.
  double rest = 0.0;
  turn_form(f6.col(0), k[4], h, out.y6[1], out.y6[2], rest);
  out.y6[0] = rest;
  out.y6[2] = -out.y6[2];
  turn_form(f6.col(1), k[4], h, out.z6[1], out.z6[2], rest);
  out.z6[0] = rest;
  out.z6[2] = -out.z6[2];
  store(f6, out.frame6);
  store(Mat3(f6.transpose() * f5), out.to_6);
  store(Vec3(f5.transpose() * frame.col(0)), out.e5);
  store(Vec3(f5.transpose() * (arm.point[3] - c)), out.d5);
  out.right = std::abs(h.dot(k[4])) < kRight && std::abs(k[4].dot(k[5])) < kRight;
  if (!out.right) out.line = 1e-14;  // a sine by the difference of squares is known to the root of a rounding
  return set_planar(frame, across(arm.point[2] - arm.point[1], h), across(arm.point[3] - arm.point[2], h), out);
}

}  // namespace

bool make_closed(const Arm& arm, double tolerance, ClosedArm& out, SixClass& kind, double& defect) {
  out = ClosedArm{};
  double gap = 0.0;
  const double par23 = parallel_gap(arm, 1, 2);
  const bool apart12 = parallel_gap(arm, 0, 1) > kApart, apart45 = parallel_gap(arm, 3, 4) > kApart,
             apart56 = parallel_gap(arm, 4, 5) > kApart;
  if (apart45 && apart56 && apart12) {
    const Vec3 w = meeting_point(arm, 3, 3, gap);
    if (gap < tolerance) {
      if (par23 < tolerance && make_wrist_parallel(arm, w, out)) {
        kind = SixClass::wrist_parallel;
        defect = std::max(gap, par23);
        return true;
      }
      double gap12 = 0.0;
      const Vec3 o = meeting_point(arm, 0, 2, gap12);
      if (gap12 < tolerance && make_wrist_meeting(arm, w, o, out)) {
        kind = SixClass::wrist_meeting;
        defect = std::max(gap, gap12);
        return true;
      }
    }
  }
  const double par34 = parallel_gap(arm, 2, 3);
  if (par23 < tolerance && par34 < tolerance && apart12 && apart45 && apart56) {
    const Vec3 c = meeting_point(arm, 4, 2, gap);
    if (gap < tolerance && make_parallel(arm, c, out)) {
      kind = SixClass::parallel;
      defect = std::max({gap, par23, par34});
      return true;
    }
  }
  return false;
}

}  // namespace armature::inline v0_2::analytic
