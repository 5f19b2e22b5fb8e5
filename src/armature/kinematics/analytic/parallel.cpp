#include "armature/kinematics/analytic/parallel.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/kinematics/analytic/roots.hpp"
#include "armature/kinematics/analytic/triple.hpp"

namespace armature::inline v0_2::analytic {

bool make_parallel_triple(const Arm& arm, double tolerance, ParallelTriple& out) {
  if (arm.count != 6 || std::any_of(arm.slides, arm.slides + 6, [](bool s) { return s; })) return false;
  for (const bool mirror : {false, true}) {
    const Arm from = mirror ? mirrored(arm) : arm;
    for (const int first : {1, 0}) {
      const double gap = std::max(parallel_gap(from, first, first + 1), parallel_gap(from, first + 1, first + 2));
      if (!(gap < tolerance)) continue;
      // A fourth parallel axis beside them leaves the plane's motion undetermined.
      if (parallel_gap(from, first + 2, first + 3) < 1e-3) continue;
      if (first > 0 && parallel_gap(from, first - 1, first) < 1e-3) continue;
      out.arm = arm;
      out.from = from;
      out.mirrored = mirror;
      out.first = first;
      out.defect = gap;
      for (int i = 0; i < 3; ++i) out.sign[i] = from.axis[first].dot(from.axis[first + i]) > 0.0 ? 1.0 : -1.0;
      out.h = (from.axis[first] + out.sign[1] * from.axis[first + 1] + out.sign[2] * from.axis[first + 2]).normalized();
      const auto across = [&](const Vec3& v) { return (v - out.h * out.h.dot(v)).norm(); };
      const Vec3* o = from.point + first;
      return across(o[1] - o[0]) > 1e-6 && across(o[2] - o[1]) > 1e-6;
    }
  }
  return false;
}

void solve(const ParallelTriple& p, const Transform& goal, const double* start, ArmAnswers& out) {
  out.clear();
  const Arm& arm = p.from;
  Transform X = goal * p.arm.tip.inverse();
  if (p.mirrored) X = X.inverse();
  const int lead = p.first == 1 ? 0 : 5, five = p.first + 3, six = five + 1;
  const Vec3 k1 = lead == 0 ? arm.axis[0] : Vec3(X.rotation * arm.axis[5]);
  const Vec3 o1 = lead == 0 ? arm.point[0] : X * arm.point[5];
  const Vec3 &h = p.h, &k5 = arm.axis[five], &k6 = arm.axis[six], &o5 = arm.point[five], &o6 = arm.point[six];
  // R5^T h and R1 h in (1, cos, sin).
  const Vec3 m0 = k5 * k5.dot(h), mc = h - m0, ms = -k5.cross(h), n0 = k1 * k1.dot(h), nc = h - n0, ns = k1.cross(h);
  const Vec3 w = o5 - o6, seen6 = X.rotation * k6, away = X * o6 - o1;
  const double ac = k6.dot(mc), as = k6.dot(ms), bc = w.dot(mc), bs = w.dot(ms), det = ac * bs - as * bc;
  const auto right = [&](double t, double& a, double& b) {
    const Vec3 carried = n0 + nc * math::cos(t) + ns * math::sin(t);
    a = seen6.dot(carried) - k6.dot(m0);
    b = h.dot(o5 - o1) - carried.dot(away) - w.dot(m0);
  };
  const double size_a = math::hypot(ac, as), size_b = math::hypot(bc, bs);
  const bool apart = std::abs(det) > 1e-9;
  const double sign = ac * bc + as * bs < 0.0 ? -1.0 : 1.0;
  double samples[8], c[5] = {}, largest = 0.0, roots[8];
  for (int k = 0; k < 8; ++k) {
    double a, b;
    right(k * kPi / 4.0, a, b);
    const double x = a * bs - b * as, y = ac * b - bc * a;
    samples[k] = apart ? x * x + y * y - det * det : size_b * a - sign * size_a * b;
    const double t = k * kPi / 4.0;
    c[0] += samples[k] / 8.0;
    c[1] += samples[k] * math::cos(t) / 4.0;
    c[2] += samples[k] * math::sin(t) / 4.0;
    c[3] += samples[k] * math::cos(2.0 * t) / 4.0;
    c[4] += samples[k] * math::sin(2.0 * t) / 4.0;
  }
  for (const double x : c) largest = std::max(largest, std::abs(x));
  if (!(largest > 1e-13)) {
    out.complete = false;
    return;
  }
  const int count = trigonometric_roots(c, 1e-12 * largest, roots);
  const Mat3 plane = frame_about(h), f6 = frame_about(k6);
  const auto flat = [&](const Vec3& v) { return Vec2(plane.col(0).dot(v), plane.col(1).dot(v)); };
  const Vec3* o = arm.point + p.first;
  const Vec2 n = flat(o[1] - o[0]), u = flat(o[2] - o[1]);
  for (int r = 0; r < count; ++r) {
    double a, b, fives[2];
    right(roots[r], a, b);
    int many = 1;
    if (apart) {
      fives[0] = math::atan2((ac * b - bc * a) / det, (a * bs - b * as) / det);
    } else {
      many = size_a >= size_b ? solve_turn(ac, as, a, 1e-9, fives) : solve_turn(bc, bs, b, 1e-9, fives);
    }
    for (int i = 0; i < many; ++i) {
      const Vec3 carried = n0 + nc * math::cos(roots[r]) + ns * math::sin(roots[r]);
      const Vec3 x = f6.transpose() * (X.rotation.transpose() * carried);
      const Vec3 y = f6.transpose() * (m0 + mc * math::cos(fives[i]) + ms * math::sin(fives[i]));
      double q6 = math::atan2(x.x() * y.y() - x.y() * y.x(), x.x() * y.x() + x.y() * y.y());
      if (math::hypot(x.x(), x.y()) < 1e-12) {
        const int joint = p.mirrored ? 5 - six : six;
        out.free_joints |= 1u << joint;
        q6 = start[joint];
      }
      double q[kMaxArmJoints] = {};
      q[lead] = roots[r];
      q[five] = fives[i];
      q[six] = q6;
      Transform T = X * joint_motion(arm, six, q6).inverse() * joint_motion(arm, five, fives[i]).inverse();
      Transform first = Transform::rotate(k1, roots[r]);
      first.position = o1 - first.rotation * o1;
      T = first.inverse() * T;
      const Vec2 target = flat(T * o[2] - o[0]);
      const double cross = n.y() * u.x() - n.x() * u.y();
      double elbows[2];
      const int bends =
          solve_turn(n.dot(u), cross, 0.5 * (target.squaredNorm() - n.squaredNorm() - u.squaredNorm()), 1e-9, elbows);
      const Vec3 side = T.rotation * plane.col(0);
      const double whole = math::atan2(plane.col(1).dot(side), plane.col(0).dot(side));
      for (int e = 0; e < bends; ++e) {
        const double cs = math::cos(elbows[e]), sn = math::sin(elbows[e]);
        const Vec2 bent(n.x() + cs * u.x() - sn * u.y(), n.y() + sn * u.x() + cs * u.y());
        const double turn = math::atan2(bent.x() * target.y() - bent.y() * target.x(), bent.dot(target));
        q[p.first] = p.sign[0] * turn;
        q[p.first + 1] = p.sign[1] * elbows[e];
        q[p.first + 2] = p.sign[2] * std::remainder(whole - turn - elbows[e], 2.0 * kPi);
        double pose[kMaxArmJoints];
        for (int j = 0; j < 6; ++j) pose[p.mirrored ? 5 - j : j] = q[j];
        double error = pose_error(p.arm, goal, pose);
        if (error > 1e-13) error = polish(p.arm, goal, pose, 10);
        if (error < 1e-9) {
          add_answer(p.arm, pose, error, 1e-7, out);
        } else {
          out.complete = false;
        }
      }
    }
  }
}

}  // namespace armature::inline v0_2::analytic
