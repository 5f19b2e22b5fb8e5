#include "armature/kinematics/joint_fit.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"

namespace armature::inline v0_2 {
namespace {

double in_turn_of(double angle, double near) { return angle + 2.0 * kPi * std::round((near - angle) / (2.0 * kPi)); }

double fitted_turn(const Mat3& rotation, const Vec3& axis, double near) {
  return in_turn_of(swing_twist(Quat(rotation), axis).twist, near);
}

void put_quaternion(const Mat3& rotation, const double* near, double* q) {
  Quat turn = Quat(rotation).normalized();
  if (turn.coeffs().dot(Eigen::Map<const Vec4>(near)) < 0.0) turn.coeffs() *= -1.0;
  for (int k = 0; k < 4; ++k) q[k] = turn.coeffs()[k];
}

void put_angles(const EulerOrder& order, const Mat3& rotation, const double* near, double* q) {
  const Vec3 angles = matrix_to_euler(order, rotation, Vec3(near[0], near[1], near[2]));
  for (int k = 0; k < 3; ++k) q[k] = angles[k];
}

void put_position(const Vec3& position, double* q) {
  for (int k = 0; k < 3; ++k) q[k] = position[k];
}

// Minimises |sum columns[k] * step[k] - error| by the normal equations, lightly damped. False when they are singular.
[[maybe_unused]] bool fit_least_squares(const Vec6* columns, int n, const Vec6& error, double* step) {
  double a[6][7];
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) a[i][k] = columns[i].dot(columns[k]) + (i == k ? 1e-12 : 0.0);
    a[i][n] = columns[i].dot(error);
  }
  for (int i = 0; i < n; ++i) {  // the matrix is positive definite: no pivoting needed
    if (!(a[i][i] > 1e-13)) return false;
    for (int r = i + 1; r < n; ++r) {
      const double factor = a[r][i] / a[i][i];
      for (int k = i; k <= n; ++k) a[r][k] -= factor * a[i][k];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    step[i] = a[i][n];
    for (int k = i + 1; k < n; ++k) step[i] -= a[i][k] * step[k];
    step[i] /= a[i][i];
  }
  return true;
}

struct JointFit {
  const Transform& x;
  const double* near;
  double* q;

  /// Any other type: Gauss-Newton on its twists, from `near`.
  template <class T>
  void operator()(const T& t) const {
    constexpr int n = T::kVelocities;
    const JointType type = t;
    std::copy(near, near + T::kCoordinates.size(), q);
    for (int iteration = 0; iteration < 30; ++iteration) {
      const Transform left = t.transform(q).inverse() * x;
      Vec6 error;
      error << left.position, log_rotation(left.rotation);
      Vec6 columns[6];
      t.twists(q, columns);
      double step[6];
      if (!fit_least_squares(columns, n, error, step)) return;
      integrate_coordinates(type, q, step, q);
      double largest = 0.0;
      for (int k = 0; k < n; ++k) largest = std::max(largest, std::abs(step[k]));
      if (largest < 1e-14) return;
    }
  }

  void operator()(const Fixed&) const {}
  void operator()(const Continuous& t) const { (*this)(static_cast<const Revolute&>(t)); }
  void operator()(const Revolute& t) const { q[0] = fitted_turn(x.rotation, t.axis, near[0]); }
  void operator()(const Prismatic& t) const { q[0] = t.axis.dot(x.position); }
  void operator()(const Helical& t) const {
    // The advance tells which turn it is, where there is one.
    const double advance = t.advance();
    q[0] = fitted_turn(x.rotation, t.axis, advance != 0.0 ? t.axis.dot(x.position) / advance : near[0]);
  }
  void operator()(const Cylindrical& t) const {
    q[0] = fitted_turn(x.rotation, t.axis, near[0]);
    q[1] = t.axis.dot(x.position);
  }
  void operator()(const Universal& t) const {
    // The second turn leaves its own axis in place, so the first one is what brings axis2 to where it is.
    const Vec3 from = t.axis2 - t.axis * t.axis.dot(t.axis2);
    const Vec3 to = x.rotation * t.axis2;
    const double first = math::atan2(t.axis.dot(from.cross(to)), from.dot(to));
    q[0] = in_turn_of(from.norm() > 1e-12 ? first : near[0], near[0]);
    q[1] = fitted_turn(Transform::rotate(t.axis, -q[0]).rotation * x.rotation, t.axis2, near[1]);
  }
  void operator()(const Planar& t) const {
    q[0] = t.x_axis.dot(x.position);
    q[1] = t.normal.cross(t.x_axis).dot(x.position);
    q[2] = fitted_turn(x.rotation, t.normal, near[2]);
  }
  void operator()(const Spherical&) const { put_quaternion(x.rotation, near, q); }
  void operator()(const Euler& t) const { put_angles(t.order, x.rotation, near, q); }
  void operator()(const Free&) const {
    put_position(x.position, q);
    put_quaternion(x.rotation, near + 3, q + 3);
  }
  void operator()(const FreeEuler& t) const {
    put_position(x.position, q);
    put_angles(t.order, x.rotation, near + 3, q + 3);
  }
};

}  // namespace

void fit_coordinates(const JointType& type, const Transform& wanted, const double* near, double* q) {
  std::visit(JointFit{wanted, near, q}, type);
}

}  // namespace armature::inline v0_2
