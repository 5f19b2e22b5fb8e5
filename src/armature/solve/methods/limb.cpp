#include "armature/solve/methods/limb.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"

namespace armature::inline v0_2 {

TwoLinkAngles two_link_angles(double l1, double l2, double x, double y, double elbow) {
  TwoLinkAngles angles;
  const double d2 = x * x + y * y;
  const double d = std::sqrt(d2);
  // tan^2(theta2 / 2) = ((l1 + l2)^2 - d^2) / (d^2 - (l1 - l2)^2), each difference of squares as a product.
  const double outer = (l1 + l2 - d) * (l1 + l2 + d);
  const double inner = (d - std::abs(l1 - l2)) * (d + std::abs(l1 - l2));
  angles.reached = outer >= 0.0 && inner >= 0.0;
  const double sine = std::sqrt(std::max(outer, 0.0));
  const double cosine = std::sqrt(std::max(inner, 0.0));
  const double half2 = sine * sine + cosine * cosine;  // (2 sqrt(l1 l2))^2 inside reach
  if (!(half2 > 0.0)) return angles;
  const double s2 = std::copysign(2.0 * sine * cosine / half2, elbow);
  const double c2 = (cosine * cosine - sine * sine) / half2;
  angles.theta2 = std::copysign(2.0 * math::atan2(sine, cosine), elbow);
  // One atan2 of the rotated target instead of the difference of two.
  const double across = l2 * s2;
  const double along = l1 + l2 * c2;
  angles.theta1 = math::atan2(y * along - x * across, x * along + y * across);
  return angles;
}

Quat rotation_between(const Vec3& from, const Vec3& to) {
  const double product = std::sqrt(from.squaredNorm() * to.squaredNorm());
  if (!(product > 0.0)) return Quat::Identity();
  const double c = from.dot(to);
  const Vec3 n = from.cross(to);
  const double w = product + c;
  if (w < 1e-9 * product) {  // nearly opposite: n alone would be noise
    const Vec3 across = n.norm() > 1e-12 * product ? n.normalized() : from.unitOrthogonal();
    const double angle = math::atan2(n.norm(), c);
    return quaternion_about(across, angle);
  }
  return Quat(w, n.x(), n.y(), n.z()).normalized();
}

double angle_about(const Vec3& axis, const Vec3& from, const Vec3& to) {
  const Vec3 u = from - axis * axis.dot(from);
  const Vec3 v = to - axis * axis.dot(to);
  return math::atan2(axis.dot(u.cross(v)), u.dot(v));
}

LimbTurns turn_limb(const Vec3& shoulder, const Vec3& elbow, const Vec3& wrist, const Vec3& axis, const Vec3& target,
                    const Vec3* pole) {
  LimbTurns turns;
  const Vec3 upper = elbow - shoulder;
  const Vec3 lower = wrist - elbow;
  const Vec3 way = target - shoulder;
  const double l1 = upper.norm();
  const double l2 = lower.norm();
  const double d = way.norm();
  // Half angles of the bend now and wanted, both about the axis: no inverse functions needed.
  const double outer = (l1 + l2 - d) * (l1 + l2 + d);
  const double inner = (d - std::abs(l1 - l2)) * (d + std::abs(l1 - l2));
  turns.reached = outer >= 0.0 && inner >= 0.0;
  const double side = axis.dot(upper.cross(lower)) < 0.0 ? -1.0 : 1.0;
  double sine = side * std::sqrt(std::max(outer, 0.0));
  double cosine = std::sqrt(std::max(inner, 0.0));
  const double norm = std::sqrt(sine * sine + cosine * cosine);
  if (norm > 0.0) {
    sine /= norm;
    cosine /= norm;
    // The present bend as a half-angle quaternion, undone, and the wanted one put in its place.
    Quat now(l1 * l2 + upper.dot(lower), 0, 0, 0);
    const double s = axis.dot(upper.cross(lower));
    const double n = std::sqrt(now.w() * now.w() + s * s);
    const double cn = n > 0.0 ? now.w() / n : 0.0;
    const double sn = n > 0.0 ? s / n : 1.0;
    const double c = cosine * cn + sine * sn;
    const double b = sine * cn - cosine * sn;
    turns.elbow = Quat(c, b * axis.x(), b * axis.y(), b * axis.z());
  }
  const Vec3 bent = upper + turns.elbow * lower;
  turns.shoulder = rotation_between(bent, way);
  if (pole != nullptr && d > 0.0) {
    const Vec3 line = way / d;
    const double angle = angle_about(line, turns.shoulder * upper, *pole - shoulder);
    turns.shoulder = quaternion_about(line, angle) * turns.shoulder;
  }
  return turns;
}

bool three_axis_angles(const Vec3& a1, const Vec3& a2, const Vec3& a3, const Mat3& R, double first[3],
                       double second[3]) {
  // Rot(a1, t1) Rot(a2, t2) a3 = R a3: the circle of a3 about a2 meets the circle of R a3 about a1.
  const Vec3 u = a3;
  const Vec3 v = R * a3;
  const double c12 = a1.dot(a2);
  const double det = 1.0 - c12 * c12;
  bool exact = det > 1e-12;
  double alpha = 0.0;
  double beta = 0.0;
  double gamma = 0.0;
  const Vec3 n = a1.cross(a2);
  if (exact) {
    alpha = (a2.dot(u) - c12 * a1.dot(v)) / det;  // z = beta a1 + alpha a2 + gamma n lies on both circles
    beta = (a1.dot(v) - c12 * a2.dot(u)) / det;
    const double rest = (1.0 - alpha * alpha - beta * beta - 2.0 * alpha * beta * c12) / det;
    exact = rest >= -1e-12;
    gamma = std::sqrt(std::max(0.0, rest));
  }
  for (int k = 0; k < 2; ++k) {
    double* t = k == 0 ? first : second;
    const Vec3 z = alpha * a2 + beta * a1 + (k == 0 ? gamma : -gamma) * n;
    t[1] = angle_about(a2, u, z);
    t[0] = angle_about(a1, z, v);
    const Mat3 rest = (Transform::rotate(a1, t[0]).rotation * Transform::rotate(a2, t[1]).rotation).transpose() * R;
    const Vec3 probe = a3.unitOrthogonal();
    t[2] = angle_about(a3, probe, rest * probe);
  }
  return exact;
}

}  // namespace armature::inline v0_2
