#include "armature/model/inertia.hpp"

#include <cmath>

namespace armature::inline v0_2 {
namespace {

// Of the points of `offset` mass at `d` from a center: mass (|d|^2 - d d').
Mat3 parallel_axes(double mass, const Vec3& d) {
  return mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
}

// A matrix without a negative eigenvalue, up to `slack` of its largest entry: no principal minor is negative.
bool is_positive(const Mat3& S, double slack) {
  const double largest = S.cwiseAbs().maxCoeff();
  if (!(largest > 0.0)) return true;
  const Mat3 A = S / largest;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    if (A(i, i) < -slack || A(i, i) * A(j, j) - A(i, j) * A(j, i) < -slack) return false;
  }
  return A.determinant() >= -slack;
}

Mat3 diagonal(double x, double y, double z) { return Vec3(x, y, z).asDiagonal(); }

}  // namespace

Inertia& Inertia::operator+=(const Inertia& other) {
  const double total = mass + other.mass;
  if (total <= 0.0) return *this;
  const Vec3 middle = (mass * center + other.mass * other.center) / total;
  about_center = about_center + parallel_axes(mass, center - middle) + other.about_center +
                 parallel_axes(other.mass, other.center - middle);
  center = middle;
  mass = total;
  return *this;
}

Inertia solid_inertia(const Shape& shape, double density) {
  Inertia out;
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vec3 s = box->size.cwiseProduct(box->size);
    out.mass = density * std::abs(box->size.prod());
    out.about_center = out.mass / 12.0 * diagonal(s[1] + s[2], s[0] + s[2], s[0] + s[1]);
  } else if (const auto* ball = std::get_if<Sphere>(&shape)) {
    const double r2 = ball->radius * ball->radius;
    out.mass = density * 4.0 / 3.0 * kPi * r2 * ball->radius;
    out.about_center = 0.4 * out.mass * r2 * Mat3::Identity();
  } else if (const auto* rod = std::get_if<Cylinder>(&shape)) {
    const double r2 = rod->radius * rod->radius, l2 = rod->length * rod->length;
    out.mass = density * kPi * r2 * rod->length;
    const double across = out.mass * (0.25 * r2 + l2 / 12.0);
    out.about_center = diagonal(across, across, 0.5 * out.mass * r2);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    // A cylinder, and a half ball at each end whose own center lies 3/8 r beyond the cylinder's end.
    const double r = capsule->radius, l = capsule->length;
    const double rod_mass = density * kPi * r * r * l, balls = density * 4.0 / 3.0 * kPi * r * r * r;
    out.mass = rod_mass + balls;
    const double across =
        rod_mass * (0.25 * r * r + l * l / 12.0) + balls * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
    out.about_center = diagonal(across, across, 0.5 * rod_mass * r * r + 0.4 * balls * r * r);
  }
  return out;
}

Status check_inertia(const Inertia& inertia, const std::string& who) {
  if (!std::isfinite(inertia.mass) || inertia.mass < 0.0) {
    return Error{who + " has a mass that is negative or not a finite number."};
  }
  if (!inertia.center.allFinite()) return Error{who + " has a center of mass that is not finite."};
  const Mat3& I = inertia.about_center;
  if (!I.allFinite()) return Error{who + " has an inertia that is not finite."};
  const double slack = 1e-9 * I.cwiseAbs().maxCoeff();
  if ((I - I.transpose()).cwiseAbs().maxCoeff() > slack) return Error{who + " has an inertia that is not symmetric."};
  if (I.diagonal().minCoeff() < -slack) return Error{who + " has a negative moment of inertia."};
  return {};
}

Status check_moments(const Inertia& inertia, const std::string& who) {
  const Mat3& I = inertia.about_center;
  // The second moments of the mass itself: they are positive where the moments of inertia meet the triangle inequality,
  // and then those are positive, too. Files round to a few digits.
  if (!is_positive(0.5 * I.trace() * Mat3::Identity() - I, 1e-3)) {
    return Error{who +
                 " has an inertia that no body can have: a principal moment is negative, or above the sum of the "
                 "other two."};
  }
  return {};
}

}  // namespace armature::inline v0_2
