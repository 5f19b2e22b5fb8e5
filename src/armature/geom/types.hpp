// The vector and matrix types of the whole library (Eigen, double). Quaternions are stored x, y, z, w.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace armature::inline v0_2 {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Vec6 = Eigen::Matrix<double, 6, 1>;  // a twist: linear, then angular
using VecX = Eigen::VectorXd;
using Mat3 = Eigen::Matrix3d;
using Mat4 = Eigen::Matrix4d;
using MatX = Eigen::MatrixXd;
using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;  // rows: linear 3, angular 3; columns: velocities
using Quat = Eigen::Quaterniond;
using ConstVecRef = const Eigen::Ref<const VecX>&;  // a vector of the caller, of whatever kind, without a copy

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kDegree = kPi / 180.0;  // 45 * kDegree

}  // namespace armature::inline v0_2
