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
  void link(const char* name, LinkRef& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_link(model, v, name);
  }
  void frame(const char* name, LinkRef& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_frame(model, v, name);
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
    const std::string must = "a 4x4 matrix, or 7 numbers: x, y, z, qx, qy, qz, qw";
    const Numbers m = to_array(v, name, must);
    if (m.size() == 16 && (m.ndim() == 1 || (m.ndim() == 2 && m.shape(0) == 4))) {
      const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> X(m.data());
      const Mat3 turn = X.topLeftCorner<3, 3>();
      const double largest = turn.cwiseAbs().maxCoeff();
      // Rows of a mirror or of no rotation at all would be taken for some other rotation.
      if (!(largest > 0.0) || !((turn / largest).determinant() > 1e-9)) {
        throw PyError(std::string(name) + " must be " + must +
                      "; the first three rows and columns are not a rotation.");
      }
      value = {orthonormalized(turn / largest), X.topRightCorner<3, 1>()};
    } else if (m.size() == 7 && m.ndim() == 1) {
      value = Transform::from(unit_quaternion(m.data() + 3, name), {m.data()[0], m.data()[1], m.data()[2]});
    } else {
      throw PyError(std::string(name) + " must be " + must + ", not " + std::to_string(m.size()) + " numbers.");
    }
  }
  void number(const char* name, double& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_number(v, name);
  }
  void whole(const char* name, int& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_integer(v, name);
  }
  // "xy": these axes count, the others are free. Or {"free": "z", "box": [x, y, z], "in_goal_frame": True}.
  void axes(const char* name, Axes& value, const char*) {
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
    if (PyUnicode_Check(v.ptr())) return letters(to_text(v, name), false);
    const std::string where = std::string(name) + " ";
    for (const auto& [key, item] : to_dict(v, name, "letters such as 'xy', or a dict with free, box, in_goal_frame")) {
      const std::string word = to_text(key, where + "key");
      if (word == "free") {
        letters(to_text(item, where + word), true);
      } else if (word == "box") {
        value.box = to_vector(item, where + word);
      } else if (word == "in_goal_frame") {
        value.frame = to_flag(item, where + word) ? AxesFrame::target : AxesFrame::base;
      } else {
        throw PyError(unknown_name("field of " + std::string(name), word, {"free", "box", "in_goal_frame"}));
      }
    }
  }
  void flag(const char* name, bool& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_flag(v, name);
  }
  void text(const char* name, std::string& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_text(v, name);
  }
  void pose(const char* name, VecX& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_pose(model, v, name);
  }
  void gains(const char* name, VecX& value, const char*) {
    if (const py::object v = take(name); !v.is_none()) value = to_velocities(model, v, name);
  }
};

}  // namespace

Goal to_goal(const Model& model, const py::handle& value) {
  const py::dict fields = to_dict(value, "A goal", "a dict such as {'type': 'position', 'link': ...}");
  Goal goal = need(goal_from_name(fields.contains("type") ? to_text(fields["type"], "type") : "position"));
  GoalReader reader{model, fields};
  describe_goal(goal, reader);
  for (const auto& [key, unused] : fields) {
    const std::string name = to_text(key, "A field of a goal");
    if (std::find(reader.known.begin(), reader.known.end(), name) == reader.known.end()) {
      throw PyError(unknown_name("field of a " + std::string(goal_name(goal)) + " goal", name, reader.known));
    }
  }
  return goal;
}

Goal simple_goal(const Model& model, const py::object& link, const py::object& position, const py::object& quaternion,
                 const py::object& base, const py::object& point) {
  const int tip = to_link(model, link, "link");
  const int from = to_frame(model, base, "base");
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
