// The vector and matrix types of the whole library (Eigen, double). Quaternions are stored x, y, z, w.
//
// None of them asks for an alignment: they are laid out alike, and their memory is malloc's, whatever instructions a
// caller compiles for. So a program built with -march=native and a library that was not can hand them to each other.
// They convert from and to Eigen's own types, and a ConstVecRef takes either without a copy.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace armature::inline v0_2 {

/// A matrix that public types may hold.
template <int Rows, int Columns, int Order = Eigen::ColMajor>
using Mat = Eigen::Matrix<double, Rows, Columns, Order | Eigen::DontAlign>;

using Vec2 = Mat<2, 1>;
using Vec3 = Eigen::Vector3d;  // never aligned
using Vec4 = Mat<4, 1>;
using Vec6 = Mat<6, 1>;  // a twist: linear, then angular
using VecX = Mat<Eigen::Dynamic, 1>;
using Mat3 = Eigen::Matrix3d;  // never aligned
using Mat4 = Mat<4, 4>;
using MatX = Mat<Eigen::Dynamic, Eigen::Dynamic>;
using Jacobian = Mat<6, Eigen::Dynamic>;  // rows: linear 3, angular 3; columns: velocities
using Quat = Eigen::Quaternion<double, Eigen::DontAlign>;
using ConstVecRef = const Eigen::Ref<const VecX>&;  // a vector of the caller, of whatever kind, without a copy

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kDegree = kPi / 180.0;  // 45 * kDegree

}  // namespace armature::inline v0_2
