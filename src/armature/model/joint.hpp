// The list of joint types, and what can be asked of any of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/joint_types.hpp"

namespace armature::inline v0_2 {

/// The JointTypes list: one word here per type of joint_types.hpp.
using JointType = std::variant<Fixed, Revolute, Continuous, Prismatic, Helical, Cylindrical, Universal, Planar,
                               Spherical, Euler, Free, FreeEuler>;

template <class... Types>
constexpr bool are_joint_types(const std::variant<Types...>*) {
  return (IsJointType<Types> && ...);
}
static_assert(are_joint_types(static_cast<const JointType*>(nullptr)));

inline constexpr int kMaxJointCoordinates = 7;
inline constexpr int kMaxJointVelocities = 6;

const char* type_name(const JointType& type);
std::span<const Coordinate> coordinates(const JointType& type);
int velocity_count(const JointType& type);
inline int coordinate_count(const JointType& type) { return static_cast<int>(coordinates(type).size()); }

/// The type by its name with default parameters; the error lists all names.
Result<JointType> joint_type_from_name(std::string_view name);
std::vector<std::string> joint_type_names();

/// What the type says of its coordinate k; see joint_types.hpp.
std::string coordinate_name(const JointType& type, int k);
double travel(const JointType& type, int k);
bool turn_repeats(const JointType& type, int k);  // an angle, and a full turn of it gives the same transform
bool goes_short_way(const JointType& type);
/// All lengths among the parameters multiplied.
void scale_parameters(JointType& type, double factor);

Transform joint_transform(const JointType& type, const double* q);
void joint_twists(const JointType& type, const double* q, Vec6* columns);

/// Coordinates at rest: zeros, and the identity quaternion.
void neutral_coordinates(const JointType& type, double* q);

/// Moves along velocities `v` for unit time: q_out = q (+) v. Quaternions stay normalised. q_out may be q.
void integrate_coordinates(const JointType& type, const double* q, const double* v, double* q_out);

/// The velocity that leads from `from` to `to` in unit time (the short way round for quaternions and continuous
/// joints).
void difference_coordinates(const JointType& type, const double* from, const double* to, double* v);

/// Calls `f` with the parameters' visitor interface of joint_types.hpp.
template <class V>
void describe_joint(JointType& type, V& visitor) {
  std::visit([&](auto& t) { t.describe(visitor); }, type);
}

}  // namespace armature::inline v0_2
