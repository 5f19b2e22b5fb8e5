#include "armature/kinematics/analytic/roots.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"

namespace armature::inline v0_2::analytic {
namespace {

double value_at(const double* c, int degree, double x) {
  double f = c[degree];
  for (int k = degree - 1; k >= 0; --k) f = f * x + c[k];
  return f;
}

/// The root in [a, b], where f changes its sign: Newton's method kept inside by bisection.
double root_between(const double* c, const double* d, int degree, double a, double b) {
  const bool rising = value_at(c, degree, a) < 0.0;
  double x = 0.5 * (a + b);
  for (int n = 0; n < 100; ++n) {
    const double f = value_at(c, degree, x);
    if (f == 0.0) return x;
    ((f < 0.0) == rising ? a : b) = x;
    double next = x - f / value_at(d, degree - 1, x);
    if (!(next > a && next < b)) next = 0.5 * (a + b);
    if (next == x || std::abs(next - x) < 1e-16 * (1.0 + std::abs(x))) return next;
    x = next;
  }
  return x;
}

}  // namespace

int polynomial_roots(const double* c, int degree, double low, double high, double noise, double* roots) {
  if (degree == 0) return 0;
  double d[kMaxDegree] = {};
  for (int k = 1; k <= degree; ++k) d[k - 1] = k * c[k];
  double turn[kMaxDegree + 2];
  turn[0] = low;
  int turns = 1 + polynomial_roots(d, degree - 1, low, high, 0.0, turn + 1);
  turn[turns++] = high;
  int count = 0;
  const auto add = [&](double x) {
    if (count < degree && (count == 0 || x > roots[count - 1])) roots[count++] = x;
  };
  for (int i = 0; i + 1 < turns; ++i) {
    const double fa = value_at(c, degree, turn[i]), fb = value_at(c, degree, turn[i + 1]);
    if (std::abs(fa) <= noise && i > 0) {  // two roots or none, as near as rounding can tell: both sides
      double second = 0.0;
      for (int k = degree; k >= 2; --k) second = second * turn[i] + k * (k - 1) * c[k];
      const double away = std::max(1e-7, std::sqrt(std::abs(2.0 * fa / second)));
      add(turn[i] - std::min(away, 1e-5));
      add(turn[i] + std::min(away, 1e-5));
    } else if (std::abs(fa) <= noise) {
      add(turn[i]);
    }
    if ((fa < 0.0) != (fb < 0.0) && std::abs(fa) > noise && std::abs(fb) > noise) {
      add(root_between(c, d, degree, turn[i], turn[i + 1]));
    }
    if (i + 2 == turns && std::abs(fb) <= noise) add(turn[i + 1]);
  }
  return count;
}

int trigonometric_roots(const double* c, double noise, double* roots) {
  // Two halves of the circle, x = tan(half the angle from their middle) in [-1, 1]; a little over, so that no root
  // falls between them.
  int count = 0;
  for (int half = 0; half < 2; ++half) {
    const double s = half == 0 ? 1.0 : -1.0;  // cos and sin of the angle change their signs, of twice the angle not
    const double c1 = s * c[1], s1 = s * c[2];
    // (1 + x^2)^2 f with cos = (1 - x^2) / (1 + x^2), sin = 2x / (1 + x^2).
    const double p[5] = {c[0] + c1 + c[3], 2.0 * s1 + 4.0 * c[4], 2.0 * c[0] - 6.0 * c[3], 2.0 * s1 - 4.0 * c[4],
                         c[0] - c1 + c[3]};
    double x[kMaxDegree];
    const int n = polynomial_roots(p, 4, -1.0 - 1e-12, 1.0 + 1e-12, noise, x);
    for (int k = 0; k < n; ++k) {
      double angle = 2.0 * math::atan(x[k]);
      if (half == 1) angle += angle > 0.0 ? -3.14159265358979323846 : 3.14159265358979323846;
      bool seen = false;
      for (int i = 0; i < count; ++i)
        seen = seen || std::abs(std::remainder(angle - roots[i], 6.283185307179586)) < 1e-9;
      if (!seen) roots[count++] = angle;
    }
  }
  return count;
}

}  // namespace armature::inline v0_2::analytic
