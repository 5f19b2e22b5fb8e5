// Parts of Armature's own format that joints and closures share: origins, parameters, limits; and closures themselves.
#include "armature/formats/json_linkage.hpp"

#include <cmath>

#include "armature/base/number.hpp"
#include "armature/formats/spelling.hpp"

namespace armature::inline v0_2 {
namespace {

Mat3 unit_rotation(JsonFields& f, JsonRef at, const Vec4& q) {
  if (std::abs(q.norm() - 1.0) > 0.01) {
    f.fail(at, "The quaternion [x, y, z, w] has length " + pretty_number(q.norm()) + "; it must be 1.");
  }
  return Quat(q[3], q[0], q[1], q[2]).normalized().toRotationMatrix();
}

// Three numbers: a position; seven: position and quaternion.
void read_short_transform(JsonFields& f, JsonRef at, Transform& placement) {
  double v[7] = {0, 0, 0, 0, 0, 0, 1};
  if (at.size() != 3 && at.size() != 7) {
    f.fail(at,
           "A transform is 3 numbers (a position), 7 (position and quaternion) or {position, quaternion | rpy | "
           "matrix}.");
    return;
  }
  if (!f.numbers(at, v, at.size())) return;
  placement.position = Vec3(v[0], v[1], v[2]);
  if (at.size() == 7) placement.rotation = unit_rotation(f, at, Vec4(v[3], v[4], v[5], v[6]));
}

struct ParameterReader {
  JsonObject& object;
  JsonFields& f;
  void axis(const char* name, Vec3& value) {
    if (const JsonRef v = object.get(name)) f.vector(v, value);
  }
  void number(const char* name, double& value) {
    if (const JsonRef v = object.get(name)) f.number(v, value);
  }
  void order(const char* name, EulerOrder& value) {
    std::string word;
    const JsonRef v = object.get(name);
    if (!v || !f.text(v, word)) return;
    const Result<EulerOrder> order = EulerOrder::parse(word);
    if (order) {
      value = *order;
    } else {
      f.fail(v, order.message());
    }
  }
};

// One number, or one per coordinate; null for "none".
void read_bounds(JsonFields& f, JsonRef at, int count, double none, std::vector<double>& out) {
  const auto one = [&](JsonRef v) {
    double value = none;
    if (!v.is(JsonKind::null)) f.number(v, value);
    out.push_back(value);
  };
  if (!at.is(JsonKind::array)) {
    if (count != 1) {
      f.fail(at, "This joint has " + std::to_string(count) +
                     " such numbers: give an array, null where there is no "
                     "limit.");
    }
    one(at);
    return;
  }
  if (at.size() != static_cast<std::size_t>(count)) {
    f.fail(at, "This must hold " + std::to_string(count) + " numbers (null for none), but it holds " +
                   std::to_string(at.size()) + ".");
  }
  for (const JsonRef item : at) one(item);
}

void read_frame(JsonFields& f, JsonObject& closure, const char* key, ClosureFrame& frame) {
  const JsonRef at = closure.require(key);
  if (!at) return;
  if (at.is(JsonKind::string)) {  // the link's own frame
    frame.link = at.text();
    return;
  }
  JsonObject object(f, at, "a frame of a closure");
  if (const JsonRef v = object.get("link")) f.text(v, frame.link);
  if (const JsonRef v = object.get("origin")) read_origin(f, v, frame.origin);
  object.finish();
}

}  // namespace

void read_origin(JsonFields& f, JsonRef at, Transform& placement) {
  if (at.is(JsonKind::array)) return read_short_transform(f, at, placement);
  JsonObject object(f, at, "an origin");
  const JsonRef xyz = object.get("xyz");
  const JsonRef position = object.get("position");
  if (xyz && position) f.fail(position, "'position' and 'xyz' mean the same; give one of them.");
  if (xyz || position) f.vector(xyz ? xyz : position, placement.position);
  const JsonRef rpy = object.get("rpy");
  const JsonRef quaternion = object.get("quaternion");
  const JsonRef matrix = object.get("matrix");
  if (int{!!rpy} + int{!!quaternion} + int{!!matrix} > 1) {
    f.fail(at, "An origin is turned by one of 'rpy', 'quaternion' and 'matrix', not by several.");
  } else if (Vec3 angles; rpy && f.vector(rpy, angles)) {
    placement.rotation = rpy_to_matrix(angles);
  } else if (Vec4 q; quaternion && f.numbers(quaternion, q.data(), 4)) {
    placement.rotation = unit_rotation(f, quaternion, q);
  } else if (double m[9]; matrix && f.numbers(matrix, m, 9)) {
    placement.rotation = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(m);
    const double defect = rotation_defect(placement.rotation);
    if (defect > 1e-3)
      f.fail(matrix,
             "This 3x3 matrix (row by row) is no rotation: its rows must be unit vectors "
             "at right angles, right-handed.");
    if (defect > 1e-9) placement.rotation = orthonormalized(placement.rotation);  // typed with few digits
  }
  object.finish();
}

void read_parameters(JsonFields& f, JsonObject& object, JointType& type) {
  ParameterReader reader{object, f};
  describe_joint(type, reader);
}

void read_limits(JsonFields& f, JsonRef at, const JointType& type, Limits& limits) {
  JsonObject object(f, at, "limits");
  if (const JsonRef v = object.get("lower")) read_bounds(f, v, coordinate_count(type), -kInfinity, limits.lower);
  if (const JsonRef v = object.get("upper")) read_bounds(f, v, coordinate_count(type), kInfinity, limits.upper);
  if (const JsonRef v = object.get("velocity")) {
    read_bounds(f, v, velocity_count(type), kInfinity, limits.velocity);
  }
  if (const JsonRef v = object.get("effort")) {
    read_bounds(f, v, velocity_count(type), kInfinity, limits.effort);
  }
  if (const JsonRef v = object.get("cone")) {
    JsonObject cone(f, v, "a cone");
    limits.cone.emplace();
    if (const JsonRef w = cone.get("axis")) f.vector(w, limits.cone->axis);
    if (const JsonRef w = cone.get("swing")) f.number(w, limits.cone->swing);
    if (const JsonRef w = cone.get("twist_lower")) f.number(w, limits.cone->twist_lower);
    if (const JsonRef w = cone.get("twist_upper")) f.number(w, limits.cone->twist_upper);
    cone.finish();
  }
  object.finish();
}

void read_closure(JsonFields& f, JsonRef at, Linkage& linkage) {
  JsonObject object(f, at, "a closure");
  Closure closure;
  if (const JsonRef v = object.require("name")) f.text(v, closure.name);
  std::string type;
  if (const JsonRef v = object.require("type"); v && f.text(v, type)) {
    Result<ClosureType> found = closure_type_from_name(type);
    if (found) {
      closure.type = std::move(found).value();
    } else {
      f.fail(v, found.message());
    }
  }
  if (auto* coupling = std::get_if<Coupling>(&closure.type)) {
    if (const JsonRef v = object.require("joint")) f.text(v, coupling->joint);
    if (const JsonRef v = object.get("source")) f.text(v, coupling->source);
    if (const JsonRef v = object.require("polynomial")) {
      coupling->polynomial.clear();
      f.number_list(v, coupling->polynomial);
    }
  } else {
    read_frame(f, object, "a", closure.a);
    read_frame(f, object, "b", closure.b);
  }
  if (auto* rod = std::get_if<Rod>(&closure.type)) {
    if (const JsonRef v = object.require("length")) f.number(v, rod->length);
  } else if (auto* joint = std::get_if<JointType>(&closure.type)) {
    read_parameters(f, object, *joint);
    if (const JsonRef v = object.get("limits")) read_limits(f, v, *joint, closure.limits);
  }
  object.finish();
  linkage.closures.push_back(std::move(closure));
}

}  // namespace armature::inline v0_2
