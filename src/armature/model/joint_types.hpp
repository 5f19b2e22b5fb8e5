// The joint types: how a joint's coordinates move its child link.
//
// To add one: write a struct here with what IsJointType below asks for, and put its name into the JointType list in
// joint.hpp. Formats, laws, poses and solvers follow from the list.
//
//   transform(q)       articulation A: child frame seen from the joint's frame (the placed, unarticulated one)
//   twists(q, columns) one column per velocity: the child's twist (linear, angular) in the child's own frame, so that
//                      d transform / d velocity_i = transform * hat(column_i)
//   coordinates        kCoordinates says what each number of q is. Velocities are the coordinates' rates, except that a
//                      quaternion's four numbers have three: the angular velocity in the child's frame.
//   kTurnsRepeat       whether a full turn of an angle gives the same transform
//   kShortWay          whether differences of its angles go the short way round (a joint that turns without end)
//   coordinate_name(k) "" where the joint's own name says it, else "x", "angle2", ...
//   travel(k)          how far the child's origin moves per unit of coordinate k, at most: metres per radian or per
//   metre scale(factor)      its parameters with all lengths multiplied describe(v)        the parameters, by
//   v.axis(name, Vec3&), v.number(name, double&), v.order(name, EulerOrder&)
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <string>

#include "armature/geom/rotation.hpp"
#include "armature/geom/transform.hpp"

namespace armature::inline v0_2 {

enum class Coordinate { angle, length, quaternion };  // radians, metres, one of x y z w

namespace joint_detail {
inline Vec6 linear(const Vec3& v) {
  Vec6 t;
  t << v, Vec3::Zero();
  return t;
}
inline Vec6 angular(const Vec3& w) {
  Vec6 t;
  t << Vec3::Zero(), w;
  return t;
}
inline Quat quaternion(const double* q) {
  const Quat r(q[3], q[0], q[1], q[2]);
  const double n = r.norm();
  return n > 1e-100 ? Quat(r.coeffs() / n) : Quat(Quat::Identity());
}
// Lengths carry the origin as far as they say, angles and quaternions not at all.
template <std::size_t N>
double own_travel(const std::array<Coordinate, N>& kinds, int k) {
  return kinds[static_cast<std::size_t>(k)] == Coordinate::length ? 1.0 : 0.0;
}
inline std::string quaternion_name(int k) { return std::string("q") + "xyzw"[k]; }
inline std::string euler_name(const EulerOrder& order, int k) {
  return std::string(1, order.name()[static_cast<std::size_t>(k)]) +
         (order.proper() && k != 1 ? std::to_string(k + 1) : "");
}
}  // namespace joint_detail

/// What a joint type must have.
template <class T>
concept IsJointType = requires(T& joint, const T& same, const double* q, Vec6* columns, int k, double factor) {
  { T::kName } -> std::convertible_to<const char*>;
  { T::kCoordinates.size() } -> std::convertible_to<std::size_t>;
  { T::kVelocities } -> std::convertible_to<int>;
  { T::kTurnsRepeat } -> std::convertible_to<bool>;
  { T::kShortWay } -> std::convertible_to<bool>;
  { same.transform(q) } -> std::same_as<Transform>;
  { same.coordinate_name(k) } -> std::convertible_to<std::string>;
  { same.travel(k) } -> std::same_as<double>;
  same.twists(q, columns);
  joint.scale(factor);
};

/// No motion.
struct Fixed {
  static constexpr const char* kName = "fixed";
  static constexpr std::array<Coordinate, 0> kCoordinates{};
  static constexpr int kVelocities = 0;
  static constexpr bool kTurnsRepeat = true;
  static constexpr bool kShortWay = false;
  template <class V>
  void describe(V&) {}
  Transform transform(const double*) const { return {}; }
  void twists(const double*, Vec6*) const {}
  std::string coordinate_name(int) const { return {}; }
  double travel(int) const { return 0.0; }
  void scale(double) {}
};

/// Rotation about an axis, usually within limits.
struct Revolute {
  static constexpr const char* kName = "revolute";
  static constexpr std::array kCoordinates{Coordinate::angle};
  static constexpr int kVelocities = 1;
  static constexpr bool kTurnsRepeat = true;
  static constexpr bool kShortWay = false;
  Vec3 axis = Vec3::UnitZ();
  template <class V>
  void describe(V& v) {
    v.axis("axis", axis);
  }
  Transform transform(const double* q) const { return Transform::rotate(axis, q[0]); }
  void twists(const double*, Vec6* c) const { c[0] = joint_detail::angular(axis); }
  std::string coordinate_name(int) const { return {}; }
  double travel(int k) const { return joint_detail::own_travel(kCoordinates, k); }
  void scale(double) {}
};

/// Rotation about an axis without limits; full turns are the same pose.
struct Continuous : Revolute {
  static constexpr const char* kName = "continuous";
  static constexpr bool kShortWay = true;
};

/// Translation along an axis.
struct Prismatic {
  static constexpr const char* kName = "prismatic";
  static constexpr std::array kCoordinates{Coordinate::length};
  static constexpr int kVelocities = 1;
  static constexpr bool kTurnsRepeat = true;
  static constexpr bool kShortWay = false;
  Vec3 axis = Vec3::UnitZ();
  template <class V>
  void describe(V& v) {
    v.axis("axis", axis);
  }
  Transform transform(const double* q) const { return Transform::translate(axis * q[0]); }
  void twists(const double*, Vec6* c) const { c[0] = joint_detail::linear(axis); }
  std::string coordinate_name(int) const { return {}; }
  double travel(int k) const { return joint_detail::own_travel(kCoordinates, k); }
  void scale(double) {}
};

/// A screw: turns about its axis and advances `pitch` metres a full turn.
struct Helical {
  static constexpr const char* kName = "helical";
  static constexpr std::array kCoordinates{Coordinate::angle};
  static constexpr int kVelocities = 1;
  static constexpr bool kTurnsRepeat = false;
  static constexpr bool kShortWay = false;
  Vec3 axis = Vec3::UnitZ();
  double pitch = 0.0;
  template <class V>
  void describe(V& v) {
    v.axis("axis", axis);
    v.number("pitch", pitch);
  }
  Transform transform(const double* q) const {
    Transform x = Transform::rotate(axis, q[0]);
    x.position = axis * (advance() * q[0]);
    return x;
  }
  void twists(const double*, Vec6* c) const { c[0] << axis * advance(), axis; }
  double advance() const { return pitch / (2.0 * kPi); }  // metres a radian
  std::string coordinate_name(int) const { return {}; }
  double travel(int) const { return std::abs(advance()); }
  void scale(double factor) { pitch *= factor; }
};

/// Turns about and slides along one axis, independently: (angle, length).
struct Cylindrical {
  static constexpr const char* kName = "cylindrical";
  static constexpr std::array kCoordinates{Coordinate::angle, Coordinate::length};
  static constexpr int kVelocities = 2;
  static constexpr bool kTurnsRepeat = true;
  static constexpr bool kShortWay = false;
  Vec3 axis = Vec3::UnitZ();
  template <class V>
  void describe(V& v) {
    v.axis("axis", axis);
  }
  Transform transform(const double* q) const {
    Transform x = Transform::rotate(axis, q[0]);
    x.position = axis * q[1];
    return x;
  }
  void twists(const double*, Vec6* c) const {
    c[0] = joint_detail::angular(axis);
    c[1] = joint_detail::linear(axis);
  }
  std::string coordinate_name(int k) const { return k == 0 ? "angle" : "length"; }
  double travel(int k) const { return joint_detail::own_travel(kCoordinates, k); }
  void scale(double) {}
};

/// Two rotations at one point: about `axis`, then about the moved `axis2`.
struct Universal {
  static constexpr const char* kName = "universal";
  static constexpr std::array kCoordinates{Coordinate::angle, Coordinate::angle};
  static constexpr int kVelocities = 2;
  static constexpr bool kTurnsRepeat = true;
  static constexpr bool kShortWay = false;
  Vec3 axis = Vec3::UnitX();
  Vec3 axis2 = Vec3::UnitY();
  template <class V>
  void describe(V& v) {
    v.axis("axis", axis);
    v.axis("axis2", axis2);
  }
  Transform transform(const double* q) const { return Transform::rotate(axis, q[0]) * Transform::rotate(axis2, q[1]); }
  void twists(const double* q, Vec6* c) const {
    c[0] = joint_detail::angular(Transform::rotate(axis2, -q[1]).rotation * axis);
    c[1] = joint_detail::angular(axis2);
  }
  std::string coordinate_name(int k) const { return k == 0 ? "angle1" : "angle2"; }
  double travel(int k) const { return joint_detail::own_travel(kCoordinates, k); }
  void scale(double) {}
};

/// Slides in a plane and turns about its normal: (x, y, angle), y = normal cross x.
struct Planar {
  static constexpr const char* kName = "planar";
  static constexpr std::array kCoordinates{Coordinate::length, Coordinate::length, Coordinate::angle};
  static constexpr int kVelocities = 3;
  static constexpr bool kTurnsRepeat = true;
  static constexpr bool kShortWay = false;
  Vec3 normal = Vec3::UnitZ();
  Vec3 x_axis = Vec3::UnitX();  // made perpendicular to the normal by compile
  template <class V>
  void describe(V& v) {
    v.axis("normal", normal);
    v.axis("x_axis", x_axis);
  }
  Transform transform(const double* q) const {
    Transform x = Transform::rotate(normal, q[2]);
    x.position = x_axis * q[0] + normal.cross(x_axis) * q[1];
    return x;
  }
  void twists(const double* q, Vec6* c) const {
    const Mat3 back = Transform::rotate(normal, -q[2]).rotation;
    c[0] = joint_detail::linear(back * x_axis);
    c[1] = joint_detail::linear(back * normal.cross(x_axis));
    c[2] = joint_detail::angular(normal);
  }
  std::string coordinate_name(int k) const { return k == 2 ? "angle" : std::string(1, "xy"[k]); }
  double travel(int k) const { return joint_detail::own_travel(kCoordinates, k); }
  void scale(double) {}
};

/// A ball and socket: one unit quaternion (x, y, z, w), no gimbal lock.
struct Spherical {
  static constexpr const char* kName = "spherical";
  static constexpr std::array kCoordinates{Coordinate::quaternion, Coordinate::quaternion, Coordinate::quaternion,
                                           Coordinate::quaternion};
  static constexpr int kVelocities = 3;
  static constexpr bool kTurnsRepeat = true;
  static constexpr bool kShortWay = false;
  template <class V>
  void describe(V&) {}
  Transform transform(const double* q) const { return {Vec3::Zero(), joint_detail::quaternion(q).toRotationMatrix()}; }
  void twists(const double*, Vec6* c) const {
    for (int i = 0; i < 3; ++i) c[i] = joint_detail::angular(Vec3::Unit(i));
  }
  std::string coordinate_name(int k) const { return joint_detail::quaternion_name(k); }
  double travel(int k) const { return joint_detail::own_travel(kCoordinates, k); }
  void scale(double) {}
};

/// A ball and socket spelled as three angles about moved axes in the given order, as animators type them.
struct Euler {
  static constexpr const char* kName = "euler";
  static constexpr std::array kCoordinates{Coordinate::angle, Coordinate::angle, Coordinate::angle};
  static constexpr int kVelocities = 3;
  static constexpr bool kTurnsRepeat = true;
  static constexpr bool kShortWay = false;
  EulerOrder order;
  template <class V>
  void describe(V& v) {
    v.order("order", order);
  }
  Transform transform(const double* q) const { return {Vec3::Zero(), euler_to_matrix(order, Vec3(q[0], q[1], q[2]))}; }
  void twists(const double* q, Vec6* c) const {
    const Mat3 back3 = Transform::rotate(Vec3::Unit(order.axis[2]), -q[2]).rotation;
    const Mat3 back2 = Transform::rotate(Vec3::Unit(order.axis[1]), -q[1]).rotation;
    c[0] = joint_detail::angular(back3 * (back2 * Vec3::Unit(order.axis[0])));
    c[1] = joint_detail::angular(back3 * Vec3::Unit(order.axis[1]));
    c[2] = joint_detail::angular(Vec3::Unit(order.axis[2]));
  }
  std::string coordinate_name(int k) const { return joint_detail::euler_name(order, k); }
  double travel(int k) const { return joint_detail::own_travel(kCoordinates, k); }
  void scale(double) {}
};

/// No constraint: position (x, y, z) in the joint's frame, then a unit quaternion (x, y, z, w).
/// Velocities: the position's rate, then the angular velocity in the child's frame.
struct Free {
  static constexpr const char* kName = "free";
  static constexpr std::array kCoordinates{Coordinate::length,     Coordinate::length,     Coordinate::length,
                                           Coordinate::quaternion, Coordinate::quaternion, Coordinate::quaternion,
                                           Coordinate::quaternion};
  static constexpr int kVelocities = 6;
  static constexpr bool kTurnsRepeat = true;
  static constexpr bool kShortWay = false;
  template <class V>
  void describe(V&) {}
  Transform transform(const double* q) const {
    return {Vec3(q[0], q[1], q[2]), joint_detail::quaternion(q + 3).toRotationMatrix()};
  }
  void twists(const double* q, Vec6* c) const {
    const Mat3 back = joint_detail::quaternion(q + 3).toRotationMatrix().transpose();
    for (int i = 0; i < 3; ++i) {
      c[i] = joint_detail::linear(back.col(i));
      c[3 + i] = joint_detail::angular(Vec3::Unit(i));
    }
  }
  std::string coordinate_name(int k) const {
    return k < 3 ? std::string(1, "xyz"[k]) : joint_detail::quaternion_name(k - 3);
  }
  double travel(int k) const { return joint_detail::own_travel(kCoordinates, k); }
  void scale(double) {}
};

/// No constraint, with the rotation spelled as three angles about moved axes in the given order: position (x, y, z) in
/// the joint's frame, then the angles. What motion files give their roots; it locks where its middle angle does.
struct FreeEuler {
  static constexpr const char* kName = "free_euler";
  static constexpr std::array kCoordinates{Coordinate::length, Coordinate::length, Coordinate::length,
                                           Coordinate::angle,  Coordinate::angle,  Coordinate::angle};
  static constexpr int kVelocities = 6;
  static constexpr bool kTurnsRepeat = true;
  static constexpr bool kShortWay = false;
  EulerOrder order;
  template <class V>
  void describe(V& v) {
    v.order("order", order);
  }
  Transform transform(const double* q) const {
    return {Vec3(q[0], q[1], q[2]), euler_to_matrix(order, Vec3(q[3], q[4], q[5]))};
  }
  void twists(const double* q, Vec6* c) const {
    const Mat3 back = euler_to_matrix(order, Vec3(q[3], q[4], q[5])).transpose();
    for (int i = 0; i < 3; ++i) c[i] = joint_detail::linear(back.col(i));
    Euler{order}.twists(q + 3, c + 3);
  }
  std::string coordinate_name(int k) const {
    return k < 3 ? std::string(1, "xyz"[k]) : "r" + joint_detail::euler_name(order, k - 3);
  }
  double travel(int k) const { return joint_detail::own_travel(kCoordinates, k); }
  void scale(double) {}
};

}  // namespace armature::inline v0_2
