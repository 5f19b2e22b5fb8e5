#include "armature/scene/goal_parts.hpp"

#include <cmath>

#include "armature/formats/spelling.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/defaults.hpp"

namespace armature::inline v0_2 {
namespace {

bool quaternion_of(JsonFields& fields, Value at, const double* q, Quat& rotation) {
  return unit_quaternion(q, rotation) || fields.fail(at, "A quaternion x, y, z, w must not be zero.");
}

bool matrix_of(JsonFields& fields, Value at, const Mat3& M, Quat& rotation) {
  return rotation_of_matrix(M, rotation) ||
         fields.fail(at,
                     "This is not the matrix of a rotation: its rows must be unit vectors at right angles, "
                     "right-handed.");
}

// Rows of a square matrix, one after the other or as a list of lists.
bool read_square(JsonFields& fields, Value value, std::size_t size, std::vector<double>& out) {
  if (!is_square(value, size)) return fields.number_list(value, out);
  for (const Value row : value) {
    if (!fields.number_list(row, out)) return false;
  }
  return true;
}

// One of quaternion, rpy and matrix in an object; `rotation` is left alone when there is none.
bool rotation_member(JsonFields& fields, JsonObject& object, Quat& rotation) {
  double n[4];
  const Value q = object.get("quaternion"), rpy = object.get("rpy"), rows = object.get("matrix");
  if (int{!!q} + int{!!rpy} + int{!!rows} > 1) {
    return fields.fail(rows ? rows : rpy, "A rotation is given by one of quaternion, rpy and matrix, not by several.");
  }
  if (q && (!fields.numbers(q, n, 4) || !quaternion_of(fields, q, n, rotation))) return false;
  if (rpy) {
    if (!fields.numbers(rpy, n, 3)) return false;
    rotation = euler_to_quaternion(EulerOrder{{2, 1, 0}}, Vec3(n[2], n[1], n[0]));
  }
  if (rows) {
    std::vector<double> m;
    if (!fields.expect(rows, JsonKind::array, "an array of 9 numbers") || !read_square(fields, rows, 3, m))
      return false;
    if (m.size() != 9)
      return fields.fail(rows, "The matrix of a rotation has 9 numbers, not " + std::to_string(m.size()) + ".");
    const Mat3 M = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(m.data());
    if (!matrix_of(fields, rows, M, rotation)) return false;
  }
  return fields.ok();
}

// By its number in the model's list.
bool link_number(JsonFields& fields, Value value, const Model& model, int& link) {
  const double number = value.number();
  if (!(number >= 0.0 && number < model.link_count()) || number != std::floor(number)) {
    return fields.fail(value, "Links are numbered from 0 to " + std::to_string(model.link_count() - 1) + ".");
  }
  link = static_cast<int>(number);
  return true;
}

bool set(JsonFields& fields, Value value, const Result<int>& found, int& link) {
  if (!found) return fields.fail(value, found.message());
  link = *found;
  return true;
}

}  // namespace

bool unit_quaternion(const double* q, Quat& rotation) {
  const double largest = Eigen::Map<const Vec4>(q).cwiseAbs().maxCoeff();
  if (!(largest > 1e-9)) return false;
  rotation = Quat(q[3], q[0], q[1], q[2]);
  if (!(std::abs(rotation.squaredNorm() - 1.0) > 1e-15)) return true;  // exactly what was written
  rotation.coeffs() /= largest;                                        // squares of 1e300 overflow
  rotation.normalize();
  return true;
}

bool rotation_of_matrix(const Mat3& M, Quat& rotation) {
  const double largest = M.cwiseAbs().maxCoeff();
  if (!(rotation_defect(M) <= 1e-3)) return false;  // typed with few digits
  rotation = Quat(orthonormalized(M / largest)).normalized();
  return true;
}

bool is_last_row(const double* n) { return n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0 && n[3] == 1.0; }

bool is_square(Value value, std::size_t size) {
  if (!value.is(JsonKind::array) || value.size() != size) return false;
  for (const Value row : value) {
    if (!row.is(JsonKind::array) || row.size() != size) return false;
  }
  return true;
}

bool read_link(JsonFields& fields, Value value, const Model& model, int& link) {
  if (value.is(JsonKind::number)) return link_number(fields, value, model, link);
  return fields.expect(value, JsonKind::string, "the name of a link") &&
         set(fields, value, model.find_link(value.text()), link);
}

bool read_frame(JsonFields& fields, Value value, const Model& model, int& link) {
  if (value.is(JsonKind::number)) return link_number(fields, value, model, link);
  return fields.expect(value, JsonKind::string, "the name of a link, or \"world\"") &&
         set(fields, value, frame_index(model, value.text()), link);
}

bool read_joint(JsonFields& fields, Value value, const Model& model, int& link) {
  return fields.expect(value, JsonKind::string, "the name of a joint") &&
         set(fields, value, model.find_joint(value.text()), link);
}

bool read_place(JsonFields& fields, Value value, Vec3& place, bool* planar) {
  if (value.is(JsonKind::object)) {
    JsonObject object(fields, value, "a place");
    const Value position = object.require("position");
    return position && read_place(fields, position, place, planar) && object.finish();
  }
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
        !read_square(fields, value, 4, n)) {
      return false;
    }
    if (n.size() != 3 && n.size() != 7 && n.size() != 16) {
      return fields.fail(value, "A transform has 3, 7 or 16 numbers, not " + std::to_string(n.size()) + ".");
    }
    if (n.size() == 16) {
      const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> M(n.data());
      position = M.topRightCorner<3, 1>();
      if (!matrix_of(fields, value, M.topLeftCorner<3, 3>(), rotation)) return false;
      if (!is_last_row(n.data() + 12)) {
        return fields.fail(value, "The last row of a 4x4 matrix must be 0, 0, 0, 1; rows come one after the other.");
      }
    } else {
      position = Vec3(n[0], n[1], n[2]);
      if (n.size() == 7 && !quaternion_of(fields, value, n.data() + 3, rotation)) return false;
    }
  }
  X = Transform::from(rotation, position);
  return true;
}

}  // namespace armature::inline v0_2
