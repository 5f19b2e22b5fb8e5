#include "armature/formats/spelling.hpp"

#include <cmath>
#include <cstdlib>

#include "armature/base/number.hpp"

namespace armature {
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
  const Vec3 zyx = matrix_to_euler(kZyx, rotation);
  const Vec3 rpy(zyx[2], zyx[1], zyx[0]);
  const auto matches = [&](const Vec3& angles) { return rpy_to_matrix(angles) == rotation; };
  for (const int digits : {6, 9, 12, 14, 15}) {
    const Vec3 shorter = rpy.unaryExpr([digits](double a) { return rounded(a, digits); });
    if (matches(shorter)) return shorter;
  }
  const Vec3 neat = rpy.unaryExpr([](double a) { return snapped(a); });
  if (matches(neat)) return neat;
  if (matches(rpy)) return rpy;
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

std::string inline_geometry_name(const std::string& link, std::size_t visual) {
  return link + "." + std::to_string(visual + 1);
}

const char* shape_name(const Shape& shape) {
  constexpr const char* kNames[] = {"box", "sphere", "cylinder", "capsule", "polyline", "mesh"};
  static_assert(std::variant_size_v<Shape> == std::size(kNames));
  return kNames[shape.index()];
}

}  // namespace armature
