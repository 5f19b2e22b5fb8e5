// Rotations in all their spellings: quaternion, matrix, rotation vector (axis * angle), Euler angles of any order.
#pragma once

#include <string_view>

#include "armature/base/result.hpp"
#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

/// The rotation by an angle about a unit axis. Eigen's AngleAxis takes the system's sine (base/math.hpp says why we do
/// not).
Mat3 rotation_about(const Vec3& unit_axis, double angle);
Quat quaternion_about(const Vec3& unit_axis, double angle);

/// Quaternion of the rotation vector `w` (exp: axis w/|w|, angle |w|). Exact to rounding at 0 and near pi.
Quat exp_rotation(const Vec3& w);

/// Rotation vector of `q`, length in [0, pi] (the short way round). q need not be normalised; q and -q agree.
Vec3 log_rotation(const Quat& q);
Vec3 log_rotation(const Mat3& r);

/// Jr^-1(e): how the rotation vector answers a small turn d in the body's frame, log(exp(e) exp(d)) = e + Jr^-1(e) d.
/// Its transpose is Jl^-1(e), for a turn in the outer frame: log(exp(d) exp(e)) = e + Jl^-1(e) d. Regular up to half a
/// turn.
Mat3 right_jacobian_inverse(const Vec3& e);

/// Shortest-way interpolation, t in [0, 1]; antipodal signs are handled.
Quat slerp(const Quat& a, const Quat& b, double t);

/// One of the 12 axis orders, e.g. "xyz", "zxz": R = R_a(angle0) * R_b(angle1) * R_c(angle2), each about the moved
/// axis.
struct EulerOrder {
  int axis[3] = {0, 1, 2};

  static Result<EulerOrder> parse(std::string_view text);  // any case; error lists the 12
  std::string_view name() const;                           // "xyz"
  bool proper() const { return axis[0] == axis[2]; }       // "zxz" and the like
  bool operator==(const EulerOrder& o) const {
    return axis[0] == o.axis[0] && axis[1] == o.axis[1] && axis[2] == o.axis[2];
  }
};

Mat3 euler_to_matrix(const EulerOrder& order, const Vec3& angles);
Quat euler_to_quaternion(const EulerOrder& order, const Vec3& angles);

/// Angles that give exactly this rotation. At gimbal lock one angle is free: it is taken from `near` (the others
/// follow), and elsewhere the branch (of two, modulo full turns) nearest to `near` is chosen, so that motions stay
/// continuous.
Vec3 matrix_to_euler(const EulerOrder& order, const Mat3& r, const Vec3& near = Vec3::Zero());

/// Splits q = swing * twist with twist about the unit `axis`; returns the twist angle in (-pi, pi] and the swing.
struct SwingTwist {
  Quat swing;
  double twist;
};
SwingTwist swing_twist(const Quat& q, const Vec3& axis);

/// The matrix with cross(v) * x = v x x.
Mat3 cross_matrix(const Vec3& v);

/// Angle to [-pi, pi).
double wrap_angle(double angle);

/// A rotation matrix from the first two columns of `m` (Gram-Schmidt); identity when they are of no use.
Mat3 orthonormalized(const Mat3& m);

/// Roll about x, then pitch about y, then yaw about z, all of fixed axes: URDF's order.
inline Mat3 rpy(double roll, double pitch, double yaw) {
  return (quaternion_about(Vec3::UnitZ(), yaw) * quaternion_about(Vec3::UnitY(), pitch) *
          quaternion_about(Vec3::UnitX(), roll))
      .toRotationMatrix();
}

}  // namespace armature::inline v0_2
