// Joint 1 leaves two conditions on y = E2 E3 from: about an axis, its height and distance; along one, two coordinates.
// Joint 2 is eliminated from them, and a polynomial in joint 3 is left: of degree 2 in cos and sin, or 4 in a slide.
// Where axes 1 and 2 are parallel or meet, a combination of the conditions holds joint 3 alone.
#include "armature/kinematics/analytic/triple.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/kinematics/analytic/arm.hpp"
#include "armature/kinematics/analytic/roots.hpp"

namespace armature::inline v0_2::analytic {
namespace {

constexpr double kSlack = 1e-11;
constexpr double kParallel = 1e-9;

class Elimination {
 public:
  Elimination(const Triple& t, const Vec3& from, const Vec3& to, const double* start, TripleAnswers& out)
      : t_(t), from_(from), to_(to), start_(start), out_(out) {
    const Mat3 f1 = frame_about(t.axis[0]);
    frame2_ = frame_about(t.axis[1]);
    if (t.slides[0]) {
      u1_ = f1.col(0);
      u2_ = f1.col(1);
    } else {
      u1_ = t.axis[0];
      u2_ = t.point[1] - t.point[0];
    }
  }

  void solve() { t_.slides[1] ? second_slides() : second_turns(); }

 private:
  Vec3 third(double v) const {
    if (t_.slides[2]) return from_ + v * t_.axis[2];
    return t_.point[2] + rotation_about(t_.axis[2], v) * (from_ - t_.point[2]);
  }

  /// Conditions u . R2 x = beta for x = E3 from - o2, as right sides across axis 2.
  void conditions(const Vec3& x, double& b1, double& b2) const {
    const double along = t_.axis[1].dot(x);
    if (t_.slides[0]) {
      b1 = u1_.dot(to_ - t_.point[1]);
      b2 = u2_.dot(to_ - t_.point[1]);
    } else {
      const Vec3 r = to_ - t_.point[0];
      b1 = u1_.dot(r) - u1_.dot(u2_);
      b2 = 0.5 * (r.squaredNorm() - u2_.squaredNorm() - x.squaredNorm());
    }
    b1 -= u1_.dot(t_.axis[1]) * along;
    b2 -= u2_.dot(t_.axis[1]) * along;
  }

  /// Roots in joint 3 of f, which is a polynomial of the stated degree; f of order `size`.
  template <class F>
  int third_roots(F&& f, double* roots) const {
    if (!t_.slides[2]) {
      double s[8], c[5] = {};
      for (int k = 0; k < 8; ++k) s[k] = f(k * kPi / 4.0);
      double largest = 0.0;
      for (int k = 0; k < 8; ++k) {
        const double a = k * kPi / 4.0;
        c[0] += s[k] / 8.0;
        c[1] += s[k] * math::cos(a) / 4.0;
        c[2] += s[k] * math::sin(a) / 4.0;
        c[3] += s[k] * math::cos(2.0 * a) / 4.0;
        c[4] += s[k] * math::sin(2.0 * a) / 4.0;
      }
      for (const double x : c) largest = std::max(largest, std::abs(x));
      if (!(largest > 1e-13)) return -1;
      return trigonometric_roots(c, 1e-12 * largest, roots);
    }
    // Newton's divided differences on [-1, 1] times the span that any answer lies in.
    const double span = 4.0 * (2.0 + from_.norm() + to_.norm());
    const double node[5] = {-1.0, -0.5, 0.0, 0.5, 1.0};
    double d[5], c[5] = {};
    for (int k = 0; k < 5; ++k) d[k] = f(span * node[k]);
    for (int j = 1; j < 5; ++j) {
      for (int k = 4; k >= j; --k) d[k] = (d[k] - d[k - 1]) / (node[k] - node[k - j]);
    }
    c[0] = d[4];
    for (int j = 3, degree = 0; j >= 0; --j, ++degree) {
      for (int k = degree + 1; k > 0; --k) c[k] = c[k - 1] - node[j] * c[k];
      c[0] = d[j] - node[j] * c[0];
    }
    double largest = 0.0;
    for (const double x : c) largest = std::max(largest, std::abs(x));
    if (!(largest > 1e-13)) return -1;
    const int n = polynomial_roots(c, 4, -1.0, 1.0, 1e-13 * largest, roots);
    for (int k = 0; k < n; ++k) roots[k] *= span;
    return n;
  }

  void second_turns() {
    const Vec3 a = frame2_.transpose() * u1_, b = frame2_.transpose() * u2_;
    const double det = a.x() * b.y() - a.y() * b.x();
    const double size_a = math::hypot(a.x(), a.y()), size_b = math::hypot(b.x(), b.y());
    const auto local = [&](double v) { return Vec3(frame2_.transpose() * (third(v) - t_.point[1])); };
    const auto right = [&](double v, double& b1, double& b2) { conditions(third(v) - t_.point[1], b1, b2); };
    double roots[8];
    if (std::abs(det) > kParallel) {
      const int n = third_roots(
          [&](double v) {
            double b1, b2;
            right(v, b1, b2);
            const Vec3 x = local(v);
            const double p = b1 * b.y() - b2 * a.y(), q = b2 * a.x() - b1 * b.x();
            return p * p + q * q - det * det * (x.x() * x.x() + x.y() * x.y());
          },
          roots);
      if (n < 0) out_.complete = false;
      for (int k = 0; k < n; ++k) {
        double b1, b2;
        right(roots[k], b1, b2);
        const Vec3 x = local(roots[k]);
        const double p = (b1 * b.y() - b2 * a.y()) / det, q = (b2 * a.x() - b1 * b.x()) / det;
        finish(math::atan2(x.x() * q - x.y() * p, x.x() * p + x.y() * q), roots[k]);
      }
      return;
    }
    if (std::max(size_a, size_b) < kParallel) {  // one axis twice
      out_.complete = false;
      return;
    }
    // a and b are parallel across axis 2: one combination of the conditions is free of joint 2.
    const double sign = a.x() * b.x() + a.y() * b.y() < 0.0 ? -1.0 : 1.0;
    const int n = third_roots(
        [&](double v) {
          double b1, b2;
          right(v, b1, b2);
          return size_b * b1 - sign * size_a * b2;
        },
        roots);
    if (n < 0) out_.complete = false;
    for (int k = 0; k < n; ++k) {
      double b1, b2, angles[2];
      right(roots[k], b1, b2);
      const Vec3 x = local(roots[k]), &u = size_a >= size_b ? a : b;
      const double want = size_a >= size_b ? b1 : b2;
      // u . R2 x across axis 2
      const double ca = u.x() * x.x() + u.y() * x.y(), sa = u.y() * x.x() - u.x() * x.y();
      if (math::hypot(ca, sa) < 1e-12) {
        if (std::abs(want) > kSlack) continue;
        out_.free_joints |= 2u;
        finish(start_[1], roots[k]);
        continue;
      }
      const int m = solve_turn(ca, sa, want, kSlack, angles);
      for (int i = 0; i < m; ++i) finish(angles[i], roots[k]);
    }
  }

  void second_slides() {
    const Vec3& k2 = t_.axis[1];
    double roots[8];
    if (t_.slides[0]) {
      const double e = u1_.dot(k2), f = u2_.dot(k2);
      if (math::hypot(e, f) < kParallel) {
        out_.complete = false;
        return;
      }
      const int n = third_roots(
          [&](double v) {
            const Vec3 rest = to_ - third(v);
            return u1_.dot(rest) * f - u2_.dot(rest) * e;
          },
          roots);
      if (n < 0) out_.complete = false;
      for (int k = 0; k < n; ++k) {
        const Vec3 rest = to_ - third(roots[k]);
        finish((u1_.dot(rest) * e + u2_.dot(rest) * f) / (e * e + f * f), roots[k]);
      }
      return;
    }
    const Vec3 r = to_ - t_.point[0];
    const double g = u1_.dot(k2), height = u1_.dot(r);
    const auto slide = [&](double v) { return (height - u1_.dot(third(v) - t_.point[0])) / g; };
    if (std::abs(g) > 1e-6) {
      const int n = third_roots(
          [&](double v) { return g * g * ((third(v) - t_.point[0] + slide(v) * k2).squaredNorm() - r.squaredNorm()); },
          roots);
      if (n < 0) out_.complete = false;
      for (int k = 0; k < n; ++k) finish(slide(roots[k]), roots[k]);
      return;
    }
    const int n = third_roots([&](double v) { return u1_.dot(third(v) - t_.point[0]) - height; }, roots);
    if (n < 0) out_.complete = false;
    for (int k = 0; k < n; ++k) {
      const Vec3 x = third(roots[k]) - t_.point[0];
      const double half = k2.dot(x), d = half * half - (x.squaredNorm() - r.squaredNorm());
      if (d < -kSlack) continue;
      const double root = std::sqrt(std::max(0.0, d));
      finish(-half + root, roots[k]);
      if (root > 0.0) finish(-half - root, roots[k]);
    }
  }

  /// Joint 1 from the other two; kept when all three hold.
  void finish(double second, double third_value) {
    double v[3] = {0.0, second, third_value};
    Vec3 y = third(third_value);
    y = t_.slides[1] ? Vec3(y + second * t_.axis[1])
                     : Vec3(t_.point[1] + rotation_about(t_.axis[1], second) * (y - t_.point[1]));
    Vec3 reached;
    if (t_.slides[0]) {
      v[0] = t_.axis[0].dot(to_ - y);
      reached = y + v[0] * t_.axis[0];
    } else {
      const Mat3 f = frame_about(t_.axis[0]);
      const Vec3 p = f.transpose() * (y - t_.point[0]), q = f.transpose() * (to_ - t_.point[0]);
      if (std::max(math::hypot(p.x(), p.y()), math::hypot(q.x(), q.y())) < 1e-12) {
        out_.free_joints |= 1u;
        v[0] = start_[0];
      } else {
        v[0] = math::atan2(p.x() * q.y() - p.y() * q.x(), p.x() * q.x() + p.y() * q.y());
      }
      reached = t_.point[0] + rotation_about(t_.axis[0], v[0]) * (y - t_.point[0]);
    }
    if (!((reached - to_).norm() < 1e-2)) {  // a root of the square that is none of the equations
      return;
    }
    if (out_.count == 8) {
      out_.complete = false;
      return;
    }
    for (int k = 0; k < out_.count; ++k) {
      double away = 0.0;
      for (int i = 0; i < 3; ++i) {
        const double d = v[i] - out_.value[k][i];
        away = std::max(away, std::abs(t_.slides[i] ? d : std::remainder(d, 2.0 * kPi)));
      }
      if (away < 1e-8) return;
    }
    std::copy(v, v + 3, out_.value[out_.count++]);
  }

  const Triple& t_;
  const Vec3 from_, to_;
  const double* start_;
  TripleAnswers& out_;
  Mat3 frame2_;
  Vec3 u1_, u2_;
};

}  // namespace

int solve_turn(double a, double b, double c, double slack, double* angles) {
  const double r2 = a * a + b * b, d = r2 - c * c, r = std::sqrt(r2);
  if (!(r > 0.0) || std::abs(c) - r > slack) return 0;
  const double middle = math::atan2(b, a);
  if (d <= 0.0) {
    angles[0] = c > 0.0 ? middle : middle > 0.0 ? middle - kPi : middle + kPi;
    return 1;
  }
  const double root = std::sqrt(d);
  angles[0] = math::atan2(b * c + a * root, a * c - b * root);
  angles[1] = math::atan2(b * c - a * root, a * c + b * root);
  return 2;
}

void solve_triple(const Triple& triple, const Vec3& from, const Vec3& to, const double* start, TripleAnswers& out) {
  out = TripleAnswers{};
  Elimination(triple, from, to, start, out).solve();
}

}  // namespace armature::inline v0_2::analytic
