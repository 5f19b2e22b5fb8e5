// A rigid transform: x -> rotation * x + position. X_AB maps coordinates of frame B to frame A: X_AC = X_AB * X_BC.
#pragma once

#include <iosfwd>

#include "armature/geom/rotation.hpp"
#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

struct Transform {
  Vec3 position = Vec3::Zero();
  Mat3 rotation = Mat3::Identity();  // orthonormal, right-handed

  static Transform identity() { return {}; }
  static Transform from(const Quat& q, const Vec3& p) { return {p, q.normalized().toRotationMatrix()}; }
  static Transform translate(const Vec3& p) { return {p, Mat3::Identity()}; }
  static Transform rotate(const Vec3& unit_axis, double angle) {
    return {Vec3::Zero(), rotation_about(unit_axis, angle)};
  }

  Transform operator*(const Transform& b) const {
    Transform c;
    c.rotation.noalias() = rotation * b.rotation;
    c.position.noalias() = rotation * b.position + position;
    return c;
  }
  Vec3 operator*(const Vec3& point) const { return rotation * point + position; }
  Transform inverse() const {
    Transform c;
    c.rotation = rotation.transpose();
    c.position.noalias() = -(c.rotation * position);
    return c;
  }
  Quat quaternion() const { return Quat(rotation).normalized(); }
  Mat4 matrix() const {
    Mat4 m = Mat4::Identity();
    m.topLeftCorner<3, 3>() = rotation;
    m.topRightCorner<3, 1>() = position;
    return m;
  }
  bool is_identity() const { return rotation == Mat3::Identity() && position == Vec3::Zero(); }
  bool is_finite() const { return rotation.allFinite() && position.allFinite(); }
};

/// Seven numbers: position, then quaternion x, y, z, w. A template, so that who prints brings `ostream`.
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, const Transform& X) {
  const Quat q = X.quaternion();
  out << X.position.x() << ' ' << X.position.y() << ' ' << X.position.z();
  return out << ' ' << q.x() << ' ' << q.y() << ' ' << q.z() << ' ' << q.w();
}

}  // namespace armature::inline v0_2
