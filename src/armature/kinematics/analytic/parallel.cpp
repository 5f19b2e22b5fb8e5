#include "armature/kinematics/analytic/parallel.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/kinematics/analytic/roots.hpp"
#include "armature/kinematics/analytic/triple.hpp"

namespace armature::inline v0_2::analytic {

namespace {

/// Three joints that move a plane: turning about `o` or sliding along the unit vector `d`.
struct PlanarTriple {
  bool slides[3];
  Vec2 o[3], d[3];
};

Vec2 turned(double angle, const Vec2& v) {
  const double c = math::cos(angle), s = math::sin(angle);
  return {c * v.x() - s * v.y(), s * v.x() + c * v.y()};
}
/// The turn that takes direction a to b.
double turn_from(const Vec2& a, const Vec2& b) { return math::atan2(a.x() * b.y() - a.y() * b.x(), a.dot(b)); }

/// Values with |c + value d| = length; returns how many.
int solve_slide(const Vec2& c, const Vec2& d, double length, double* values) {
  const double middle = -c.dot(d), across = c.x() * d.y() - c.y() * d.x();
  const double square = length * length - across * across;
  if (square < -1e-9) return 0;
  const double half = std::sqrt(std::max(0.0, square));
  values[0] = middle + half;
  values[1] = middle - half;
  return half > 0.0 ? 2 : 1;
}

/// Both sets of values whose motion is the turn by `whole` that takes the origin to `shift`; angles about the plane's
/// normal. Returns how many, -1 where two slides are in line.
int solve_plane(const PlanarTriple& p, double whole, const Vec2& shift, double out[2][3]) {
  const auto moved = [&](const Vec2& x) { return Vec2(turned(whole, x) + shift); };
  const int slides = p.slides[0] + p.slides[1] + p.slides[2];
  double bends[2];
  int count = 0;
  if (slides == 0) {
    const Vec2 n = p.o[1] - p.o[0], u = p.o[2] - p.o[1], target = moved(p.o[2]) - p.o[0];
    const double cross = n.y() * u.x() - n.x() * u.y();
    count = solve_turn(n.dot(u), cross, 0.5 * (target.squaredNorm() - n.squaredNorm() - u.squaredNorm()), 1e-9, bends);
    for (int i = 0; i < count; ++i) {
      const double turn = turn_from(n + turned(bends[i], u), target);
      out[i][0] = turn;
      out[i][1] = bends[i];
      out[i][2] = whole - turn - bends[i];
    }
    return count;
  }
  if (slides == 1) {
    const int s = p.slides[0] ? 0 : p.slides[1] ? 1 : 2;
    const Vec2& d = p.d[s];
    const Vec2 back = turned(-whole, p.o[0] - shift);  // where the first turn's point comes from
    const Vec2 from = s == 1 ? Vec2(p.o[2] - p.o[0]) : s == 0 ? Vec2(moved(p.o[2]) - p.o[1]) : Vec2(back - p.o[1]);
    const Vec2 arm = s == 1 ? Vec2(moved(p.o[2]) - p.o[0]) : s == 0 ? Vec2(p.o[2] - p.o[1]) : Vec2(p.o[0] - p.o[1]);
    const double way = s == 0 ? -1.0 : 1.0;
    count = solve_slide(from, way * d, arm.norm(), bends);
    for (int i = 0; i < count; ++i) {
      const Vec2 slid = from + way * bends[i] * d;
      const double turn = s == 0 ? turn_from(arm, slid) : turn_from(slid, arm);
      out[i][s] = bends[i];
      out[i][s == 0 ? 1 : s == 1 ? 0 : 1] = turn;
      out[i][s == 0 ? 2 : s == 1 ? 2 : 0] = whole - turn;
    }
    return count;
  }
  const int t = !p.slides[0] ? 0 : !p.slides[1] ? 1 : 2;
  const int a = t == 0 ? 1 : 0, b = t == 2 ? 1 : 2;
  // Slides before the turn move as they are, those behind it turned.
  const Vec2 da = a > t ? turned(whole, p.d[a]) : p.d[a], db = b > t ? turned(whole, p.d[b]) : p.d[b];
  const Vec2 target = moved(p.o[t]) - p.o[t];
  const double det = da.x() * db.y() - da.y() * db.x();
  if (!(std::abs(det) > 1e-9)) return -1;
  out[0][t] = whole;
  out[0][a] = (target.x() * db.y() - target.y() * db.x()) / det;
  out[0][b] = (da.x() * target.y() - da.y() * target.x()) / det;
  return 1;
}

}  // namespace

bool make_parallel_triple(const Arm& arm, double tolerance, ParallelTriple& out) {
  if (arm.count != 6) return false;
  for (const bool mirror : {false, true}) {
    const Arm from = mirror ? mirrored(arm) : arm;
    for (const int first : {1, 0}) {
      const int lead = first == 1 ? 0 : 5;
      int turn = -1;
      bool others_turn = true;
      for (int i = 5; i >= 0; --i) {
        const bool inside = i >= first && i < first + 3;
        others_turn = others_turn && (inside || i == lead || !from.slides[i]);
        if (inside && !from.slides[i]) turn = i;
      }
      if (!others_turn || turn < 0) continue;
      // A slide that leads must leave the plane.
      if (from.slides[lead] && std::abs(from.axis[lead].dot(from.axis[turn])) < 1e-3 && first == 1) continue;
      double gap = 0.0;
      for (int i = first; i < first + 3; ++i) {
        gap = std::max(gap, from.slides[i] ? std::abs(from.axis[turn].dot(from.axis[i])) : parallel_gap(from, turn, i));
      }
      if (!(gap < tolerance)) continue;
      // A fourth parallel axis beside them leaves the plane's motion undetermined.
      if (parallel_gap(from, turn, first + 3) < 1e-3) continue;
      if (first > 0 && !from.slides[0] && parallel_gap(from, 0, turn) < 1e-3) continue;
      out.arm = arm;
      out.from = from;
      out.mirrored = mirror;
      out.first = first;
      out.defect = gap;
      out.h = Vec3::Zero();
      for (int i = 0; i < 3; ++i) {
        out.sign[i] = from.slides[first + i] || from.axis[turn].dot(from.axis[first + i]) > 0.0 ? 1.0 : -1.0;
        if (!from.slides[first + i]) out.h += out.sign[i] * from.axis[first + i];
      }
      out.h.normalize();
      // Neighbouring turns about one line, or slides along one, are one joint.
      for (int i = first; i < first + 2; ++i) {
        const bool alike = from.slides[i] == from.slides[i + 1];
        const Vec3 between = from.slides[i] ? Vec3(from.axis[i].cross(from.axis[i + 1]))
                                            : Vec3((from.point[i + 1] - from.point[i]).cross(out.h));
        if (alike && !(between.norm() > 1e-6)) return false;
      }
      return true;
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
  const bool turns = !arm.slides[lead];  // a slide that leads has no part in A, and is what B leaves
  const Vec3 m0 = k5 * k5.dot(h), mc = h - m0, ms = -k5.cross(h);
  const Vec3 n0 = turns ? Vec3(k1 * k1.dot(h)) : h, nc = h - n0, ns = turns ? Vec3(k1.cross(h)) : Vec3(Vec3::Zero());
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
  if (!turns) roots[0] = 0.0;
  if (turns && !(largest > 1e-13)) {
    out.complete = false;
    return;
  }
  const int count = turns ? trigonometric_roots(c, 1e-12 * largest, roots) : 1;
  const Mat3 plane = frame_about(h), f6 = frame_about(k6);
  const auto flat = [&](const Vec3& v) { return Vec2(plane.col(0).dot(v), plane.col(1).dot(v)); };
  PlanarTriple flat_arm;
  for (int i = 0; i < 3; ++i) {
    flat_arm.slides[i] = arm.slides[p.first + i];
    flat_arm.o[i] = flat(arm.point[p.first + i]);
    flat_arm.d[i] = flat(arm.axis[p.first + i]);
  }
  for (int r = 0; r < count; ++r) {
    double a, b, fives[2];
    right(roots[r], a, b);
    int many = 1;
    if (!turns) {
      many = solve_turn(ac, as, a, 1e-9, fives);
    } else if (apart) {
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
      if (turns) {
        Transform first = Transform::rotate(k1, roots[r]);
        first.position = o1 - first.rotation * o1;
        T = first.inverse() * T;
      } else {
        const double along = k1.dot(h);
        if (!(std::abs(along) > 1e-6)) {
          out.complete = false;
          continue;
        }
        q[lead] = h.dot(T.position) / along;
        T.position -= q[lead] * k1;
      }
      const Vec3 side = T.rotation * plane.col(0);
      const double whole = math::atan2(plane.col(1).dot(side), plane.col(0).dot(side));
      double bent[2][3];
      const int bends = solve_plane(flat_arm, whole, flat(T.position), bent);
      out.complete = out.complete && bends >= 0;
      for (int e = 0; e < bends; ++e) {
        for (int j = 0; j < 3; ++j) {
          const bool slides = flat_arm.slides[j];
          q[p.first + j] = slides ? bent[e][j] : std::remainder(p.sign[j] * bent[e][j], 2.0 * kPi);
        }
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
