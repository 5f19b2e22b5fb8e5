#include "armature/scene/goal_parts.hpp"

#include <cmath>

#include "armature/geom/rotation.hpp"

namespace armature {
namespace {

bool quaternion_of(JsonFields& fields, Value at, const double* q, Quat& rotation) {
  rotation = Quat(q[3], q[0], q[1], q[2]);
  if (!(rotation.norm() > 1e-9)) return fields.fail(at, "A quaternion x, y, z, w must not be zero.");
  if (std::abs(rotation.squaredNorm() - 1.0) > 1e-15) rotation.normalize();  // else exactly what was written
  return true;
}

bool matrix_of(JsonFields& fields, Value at, const Mat3& M, Quat& rotation) {
  if (!(M.determinant() > 1e-9)) return fields.fail(at, "This is not the matrix of a rotation.");
  rotation = Quat(orthonormalized(M)).normalized();
  return true;
}

// One of quaternion, rpy and matrix in an object; `found` is left alone when there is none.
bool rotation_member(JsonFields& fields, JsonObject& object, Quat& rotation) {
  double n[9];
  if (const Value q = object.get("quaternion")) {
    if (!fields.numbers(q, n, 4) || !quaternion_of(fields, q, n, rotation)) return false;
  }
  if (const Value rpy = object.get("rpy")) {
    if (!fields.numbers(rpy, n, 3)) return false;
    rotation = euler_to_quaternion(EulerOrder{{2, 1, 0}}, Vec3(n[2], n[1], n[0]));
  }
  if (const Value rows = object.get("matrix")) {
    if (!fields.numbers(rows, n, 9)) return false;
    const Mat3 M = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(n);
    if (!matrix_of(fields, rows, M, rotation)) return false;
  }
  return fields.ok();
}

}  // namespace

bool read_place(JsonFields& fields, Value value, Vec3& place, bool* planar) {
  const bool two = planar != nullptr && value.is(JsonKind::array) && value.size() == 2;
  if (planar != nullptr) *planar = two;
  place.setZero();
  return fields.numbers(value, place.data(), two ? 2 : 3);
}

bool read_rotation(JsonFields& fields, Value value, Quat& rotation) {
  if (value.is(JsonKind::object)) {
    JsonObject object(fields, value, "a rotation");
    return rotation_member(fields, object, rotation) && object.finish();
  }
  double n[4];
  if (!fields.expect(value, JsonKind::array, "a quaternion [x, y, z, w] or {\"rpy\": [roll, pitch, yaw]}"))
    return false;
  return fields.numbers(value, n, 4) && quaternion_of(fields, value, n, rotation);
}

bool read_transform(JsonFields& fields, Value value, Transform& X) {
  Quat rotation = Quat::Identity();
  Vec3 position = Vec3::Zero();
  if (value.is(JsonKind::object)) {
    JsonObject object(fields, value, "a transform");
    if (const Value place = object.get("position")) fields.vector(place, position);
    if (!fields.ok() || !rotation_member(fields, object, rotation) || !object.finish()) return false;
  } else {
    std::vector<double> n;
    if (!fields.expect(value, JsonKind::array, "a transform: 3, 7 or 16 numbers, or {\"position\", \"quaternion\"}") ||
        !fields.number_list(value, n)) {
      return false;
    }
    if (n.size() != 3 && n.size() != 7 && n.size() != 16) {
      return fields.fail(value, "A transform has 3, 7 or 16 numbers, not " + std::to_string(n.size()) + ".");
    }
    if (n.size() == 16) {
      const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> M(n.data());
      position = M.topRightCorner<3, 1>();
      if (!matrix_of(fields, value, M.topLeftCorner<3, 3>(), rotation)) return false;
    } else {
      position = Vec3(n[0], n[1], n[2]);
      if (n.size() == 7 && !quaternion_of(fields, value, n.data() + 3, rotation)) return false;
    }
  }
  X = Transform::from(rotation, position);
  return true;
}

}  // namespace armature
