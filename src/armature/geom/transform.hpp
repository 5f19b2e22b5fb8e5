// A rigid transform: x -> rotation * x + translation. X_AB maps coordinates of frame B to frame A: X_AC = X_AB * X_BC.
#pragma once

#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

struct Transform {
  Mat3 rotation = Mat3::Identity();  // orthonormal, right-handed
  Vec3 translation = Vec3::Zero();

  static Transform identity() { return {}; }
  static Transform from(const Quat& q, const Vec3& p) { return {q.normalized().toRotationMatrix(), p}; }
  static Transform translate(const Vec3& p) { return {Mat3::Identity(), p}; }
  static Transform rotate(const Vec3& unit_axis, double angle) {
    return {Eigen::AngleAxisd(angle, unit_axis).toRotationMatrix(), Vec3::Zero()};
  }

  Transform operator*(const Transform& b) const {
    Transform c;
    c.rotation.noalias() = rotation * b.rotation;
    c.position.noalias() = rotation * b.position + translation;
    return c;
  }
  Vec3 operator*(const Vec3& point) const { return rotation * point + translation; }
  Transform inverse() const {
    Transform c;
    c.rotation = rotation.transpose();
    c.position.noalias() = -(c.rotation * translation);
    return c;
  }
  Quat quaternion() const { return Quat(rotation).normalized(); }
  Mat4 matrix() const {
    Mat4 m = Mat4::Identity();
    m.topLeftCorner<3, 3>() = rotation;
    m.topRightCorner<3, 1>() = translation;
    return m;
  }
  bool is_identity() const { return rotation == Mat3::Identity() && translation == Vec3::Zero(); }
  bool is_finite() const { return rotation.allFinite() && translation.allFinite(); }
};

}  // namespace armature::inline v0_2
