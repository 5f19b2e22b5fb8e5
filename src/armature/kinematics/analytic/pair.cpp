// Class K: constants of pair.inl.
#include <algorithm>

#include "armature/kinematics/analytic/six.hpp"

namespace armature::inline v0_2::analytic {
namespace {

/// R(axis, sign * angle) v in (1, cos, sin).
void turn_parts(const Vec3& axis, const Vec3& v, double sign, double out[3][3]) {
  const Vec3 along = axis * axis.dot(v);
  store(along, out[0]);
  store(Vec3(v - along), out[1]);
  store(Vec3(sign * axis.cross(v)), out[2]);
}

}  // namespace

bool make_pair_arm(const Arm& arm, double tolerance, PairArm& out, double& defect) {
  constexpr double kApart = 1e-3;
  const double par23 = parallel_gap(arm, 1, 2);
  if (!(par23 < tolerance && parallel_gap(arm, 3, 4) > kApart && parallel_gap(arm, 0, 1) > kApart &&
        parallel_gap(arm, 2, 3) > kApart)) {
    return false;
  }
  double gap = 0.0;
  const Vec3 C = meeting_point(arm, 3, 2, gap);
  if (!(gap < tolerance)) return false;
  out = PairArm{};
  const Vec3* k = arm.axis;
  const Vec3* o = arm.point;
  out.sign3 = k[1].dot(k[2]) > 0.0 ? 1.0 : -1.0;
  const Vec3 h = (k[1] + out.sign3 * k[2]).normalized();
  const auto across = [&](const Vec3& v) { return Vec3(v - h * h.dot(v)); };
  const Vec3 n = across(o[2] - o[1]), u = across(C - o[2]), kp = across(k[3]);
  if (n.squaredNorm() < 1e-12) return false;
  defect = std::max(gap, par23);
  store(frame_about(k[0]), out.frame1);
  store(o[0], out.origin1);
  for (int i = 0; i < 6; ++i) store(k[i], out.axis[i]);
  store(h, out.h);
  store(n, out.n);
  store(u, out.u);
  store(kp, out.along4);
  out.lambda = u.dot(kp) / kp.squaredNorm();
  out.mu = u.dot(h.cross(kp)) / kp.squaredNorm();
  out.height = h.dot(C - o[0]);
  out.slope = h.dot(k[3]);
  const double rise = h.dot(C - o[1]);
  out.rest = u.squaredNorm() - n.squaredNorm() - rise * rise + 2.0 * out.lambda * rise * out.slope;
  turn_parts(k[0], h, 1.0, out.h1);
  turn_parts(k[0], o[1] - o[0], 1.0, out.d1);
  turn_parts(k[5], C - o[5], -1.0, out.c6);
  for (int i = 0; i < 3; ++i) out.c6[0][i] += o[5][i];
  double e[3][3];
  turn_parts(k[4], k[3], -1.0, e);
  for (int i = 0; i < 3; ++i) turn_parts(k[5], Vec3(e[i][0], e[i][1], e[i][2]), -1.0, out.k6[i]);
  return true;
}

}  // namespace armature::inline v0_2::analytic
