#include "armature/formats/spelling.hpp"

#include <cmath>
#include <cstdlib>

#include "armature/base/math.hpp"
#include "armature/base/number.hpp"

namespace armature::inline v0_2 {
namespace {

const EulerOrder kZyx{{2, 1, 0}};

double rounded(double value, int digits) {
  double short_value = value;
  parse_number(pretty_number(value, digits), short_value);
  return short_value;
}

// Multiples of 15 degrees as they come out of `n * pi / 12`.
double snapped(double angle) {
  const double n = std::round(angle * 12.0 / kPi);
  const double exact = n * kPi / 12.0;
  return std::abs(angle - exact) < 1e-14 ? exact : angle;
}

}  // namespace

Mat3 rpy_to_matrix(const Vec3& rpy) { return euler_to_matrix(kZyx, Vec3(rpy[2], rpy[1], rpy[0])); }

std::optional<Vec3> exact_rpy(const Mat3& rotation) {
  const auto matches = [&](const Vec3& rpy) { return rpy_to_matrix(rpy) == rotation; };
  // People and exporters type short angles, quarter turns, and half turns of either sign.
  const auto try_near = [&](const Vec3& rpy) -> std::optional<Vec3> {
    for (const int digits : {4, 5, 6, 8, 9, 11, 12, 14, 15, 16, 17}) {
      const Vec3 shorter = rpy.unaryExpr([digits](double a) { return digits < 17 ? rounded(a, digits) : a; });
      if (matches(shorter)) return shorter;
    }
    const Vec3 neat = rpy.unaryExpr([](double a) { return snapped(a); });
    if (matches(neat)) return neat;
    return std::nullopt;
  };
  const Vec3 zyx = matrix_to_euler(kZyx, rotation);
  const Vec3 rpy(zyx[2], zyx[1], zyx[0]);
  const Vec3 other(rpy[0] + kPi, kPi - rpy[1], rpy[2] + kPi);  // the other branch of the same rotation
  for (const Vec3& branch : {rpy, other}) {
    for (int turns = 0; turns < 8; ++turns) {  // -pi and pi are the same angle, but not the same digits
      Vec3 turned = branch;
      bool worth_it = true;
      for (int axis = 0; axis < 3; ++axis) {
        turned[axis] = wrap_angle(turned[axis]);
        if ((turns >> axis & 1) == 0) continue;
        worth_it = worth_it && std::abs(std::abs(turned[axis]) - kPi) < 1e-3;
        turned[axis] -= std::copysign(2.0 * kPi, turned[axis]);
      }
      if (!worth_it) continue;
      if (const auto found = try_near(turned)) return found;
    }
  }
  if (std::abs(rotation(2, 0)) < 1.0 - 1e-9) return std::nullopt;
  // Gimbal lock: roll - yaw (pitch up) or roll + yaw (pitch down) is all that counts. Try the splits people write.
  const double up = rotation(2, 0) < 0.0 ? 1.0 : -1.0;
  const double combined = math::atan2(up * rotation(0, 1), rotation(1, 1));
  for (const double quarter : {0.0, 1.0, -1.0, 2.0, -2.0}) {
    for (const int digits : {3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 17}) {
      const auto shorter = [digits](double a) { return digits < 17 ? rounded(a, digits) : a; };
      const double given = shorter(quarter * kPi / 2.0);
      for (const double turn : {0.0, 2.0 * kPi, -2.0 * kPi}) {
        const Vec3 given_yaw(shorter(combined + up * given + turn), shorter(up * kPi / 2.0), given);
        if (matches(given_yaw)) return given_yaw;
        const Vec3 given_roll(given, shorter(up * kPi / 2.0), shorter(up * (given - combined) + turn));
        if (matches(given_roll)) return given_roll;
      }
    }
  }
  return std::nullopt;
}

Vec3 matrix_to_rpy(const Mat3& rotation) {
  if (const std::optional<Vec3> exact = exact_rpy(rotation)) return *exact;
  const Vec3 zyx = matrix_to_euler(kZyx, rotation);
  return {zyx[2], zyx[1], zyx[0]};
}

double rotation_defect(const Mat3& rotation) {
  const double defect = (rotation.transpose() * rotation - Mat3::Identity()).cwiseAbs().maxCoeff();
  return rotation.allFinite() && rotation.determinant() > 0.0 && defect < 1.0 ? defect : 1.0;
}

std::optional<ReadyParts> split_ready(const Mat4& ready) {
  if (ready.row(3) != Eigen::RowVector4d(0, 0, 0, 1) || !ready.allFinite()) return std::nullopt;
  const Mat3 linear = ready.topLeftCorner<3, 3>();
  ReadyParts parts{{ready.topRightCorner<3, 1>(), linear}, Vec3::Ones(), true};
  if (rotation_defect(linear) <= 1e-9) return parts;
  const auto exact = [&](const Mat3& rotation, const Vec3& scale) {
    if (Mat3(rotation * scale.asDiagonal()) != linear) return false;
    parts.origin.rotation = rotation;
    parts.scale = scale;
    return true;
  };
  if (exact(Mat3::Identity(), linear.diagonal()) && linear.determinant() != 0.0) return parts;
  Vec3 scale = linear.colwise().norm();
  if (!(scale.minCoeff() > 0.0)) return std::nullopt;
  if (linear.determinant() < 0.0) scale.x() = -scale.x();
  const Mat3 rotation = linear * scale.cwiseInverse().asDiagonal();
  if (rotation_defect(rotation) > 1e-9) return std::nullopt;
  // People type short numbers: try those that lie near.
  for (const int digits : {6, 9, 12, 15}) {
    const auto shorter = [digits](double v) { return rounded(v, digits); };
    const Vec3 zyx = matrix_to_euler(kZyx, rotation).unaryExpr(shorter);
    for (const Vec3& factors : {Vec3(scale.unaryExpr(shorter)), scale}) {
      if (exact(euler_to_matrix(kZyx, zyx), factors) || exact(rotation, factors)) return parts;
    }
  }
  parts.origin.rotation = rotation;
  parts.scale = scale;
  parts.exact = false;
  return parts;
}

Vec3 planar_x_axis(const Vec3& n) {
  // The cyclic successor of the normal's largest direction, made perpendicular.
  int largest = 0;
  n.cwiseAbs().maxCoeff(&largest);
  const Vec3 start = Vec3::Unit((largest + 1) % 3);
  const Vec3 x = start - n * n.dot(start);
  return x.norm() > 0.0 ? Vec3(x.normalized()) : start;
}

std::string resolved_uri(const std::string& uri, const std::string& mesh_root) {
  constexpr std::string_view kPackage = "package://";
  if (mesh_root.empty() || uri.compare(0, kPackage.size(), kPackage) != 0) return uri;
  const bool slash = mesh_root.back() == '/';
  return mesh_root + (slash ? "" : "/") + uri.substr(kPackage.size());
}

std::string inline_geometry_name(const std::string& link, std::size_t visual) {
  return link + "." + std::to_string(visual + 1);
}

const char* shape_name(const Shape& shape) {
  constexpr const char* kNames[] = {"box", "sphere", "cylinder", "capsule", "polyline", "mesh"};
  static_assert(std::variant_size_v<Shape> == std::size(kNames));
  return kNames[shape.index()];
}

}  // namespace armature::inline v0_2
