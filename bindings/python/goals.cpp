// Goals from Python: a dict with the described fields of its type, or a place and a rotation of one link.
#include <algorithm>

#include "armature/base/suggest.hpp"
#include "python.hpp"

namespace armature::python {
namespace {

/// Fills the described fields of a goal from a dict; what is left over is a mistake.
struct GoalReader {
  const Model& model;
  py::dict fields;
  std::vector<std::string> known = {"type"};

  py::object take(const char* name) {
    known.emplace_back(name);
    return fields.contains(name) ? py::object(fields[name]) : py::object(py::none());
  }
  void link(const char* name, int& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_link(model, v);
  }
  void frame(const char* name, int& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_frame(model, v);
  }
  void point(const char* name, Vec3& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_vector(v, name);
  }
  void direction(const char* name, Vec3& value, const char* doc) { point(name, value, doc); }
  void rotation(const char* name, Quat& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_quaternion(v, name);
  }
  void place(const char* name, Transform& value, const char*) {
    const py::object v = take(name);
    if (v.is_none()) return;
    const Array array = Array::ensure(v);
    if (array && array.size() == 16) {
      const std::vector<double> m = to_numbers(v, 16, name);
      const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> X(m.data());
      value = {orthonormalized(X.topLeftCorner<3, 3>()), X.topRightCorner<3, 1>()};
    } else {
      const std::vector<double> m = to_numbers(v, 7, std::string(name) + " (a 4x4 matrix, or x, y, z, qx, qy, qz, qw)");
      value = Transform::from(Quat(m[6], m[3], m[4], m[5]), {m[0], m[1], m[2]});
    }
  }
  void number(const char* name, double& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_numbers(v, 1, name)[0];
  }
  void whole(const char* name, int& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = v.cast<int>();
  }
  // "xy": these axes count, the others are free. Or {"free": "z", "box": [x, y, z], "in_goal_frame": True}.
  void axes(const char* name, AxisMask& value, const char*) {
    const py::object v = take(name);
    if (v.is_none()) return;
    const auto letters = [&](const std::string& text, bool listed) {
      for (int k = 0; k < 3; ++k) {
        value.free[static_cast<std::size_t>(k)] = (text.find("xyz"[k]) != std::string::npos) == listed;
      }
      if (text.find_first_not_of("xyz") != std::string::npos) {
        throw PyError(std::string(name) + " names axes by the letters x, y and z, not '" + text + "'.");
      }
    };
    if (py::isinstance<py::str>(v)) return letters(v.cast<std::string>(), false);
    const auto mask = v.cast<py::dict>();
    if (mask.contains("free")) letters(mask["free"].cast<std::string>(), true);
    if (mask.contains("box")) value.box = to_vector(mask["box"], std::string(name) + " box");
    if (mask.contains("in_goal_frame")) value.in_goal_frame = mask["in_goal_frame"].cast<bool>();
  }
  void pose(const char* name, VecX& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_pose(model, v);
  }
  void gains(const char* name, VecX& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_velocities(model, v, name);
  }
};

}  // namespace

Goal to_goal(const Model& model, const py::handle& value) {
  if (!py::isinstance<py::dict>(value)) throw PyError("A goal is a dict such as {'type': 'position', 'link': ...}.");
  const auto fields = value.cast<py::dict>();
  Goal goal = need(goal_from_name(fields.contains("type") ? fields["type"].cast<std::string>() : "position"));
  GoalReader reader{model, fields};
  describe_goal(goal, reader);
  for (const auto& [key, unused] : fields) {
    const auto name = key.cast<std::string>();
    if (std::find(reader.known.begin(), reader.known.end(), name) == reader.known.end()) {
      throw PyError(unknown_name("field of a " + std::string(goal_name(goal)) + " goal", name, reader.known));
    }
  }
  return goal;
}

Goal simple_goal(const Model& model, const py::object& link, const py::object& position, const py::object& quaternion,
                 const py::object& base, const py::object& point) {
  const int tip = to_link(model, link);
  const int from = to_frame(model, base);
  const Vec3 at = to_vector(point, "point");
  if (position.is_none() && quaternion.is_none()) throw PyError("Give a position, a quaternion, or both.");
  if (quaternion.is_none()) {
    PositionGoal goal;
    goal.link = tip, goal.base = from, goal.point = at, goal.target = to_vector(position, "position");
    return goal;
  }
  if (position.is_none()) {
    OrientationGoal goal;
    goal.link = tip, goal.base = from, goal.target = to_quaternion(quaternion, "quaternion");
    return goal;
  }
  PoseGoal goal;
  goal.link = tip, goal.base = from, goal.point = at;
  goal.target = Transform::from(to_quaternion(quaternion, "quaternion"), to_vector(position, "position"));
  return goal;
}

}  // namespace armature::python
