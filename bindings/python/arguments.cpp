// Python values to ours and back.
#include "armature/base/suggest.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "python.hpp"

namespace armature::python {
namespace {

std::vector<double> to_list(const py::handle& value, const std::string& what) {
  if (py::isinstance<py::float_>(value) || py::isinstance<py::int_>(value)) return {value.cast<double>()};
  const Array array = Array::ensure(value);
  if (!array) {
    PyErr_Clear();
    throw PyError(what + " needs numbers, not " + py::repr(value).cast<std::string>() + ".");
  }
  return {array.data(), array.data() + array.size()};
}

}  // namespace

FigurePtr make_figure(Document document) {
  Model model = need(compile(document.linkage));
  return std::make_shared<Figure>(Figure{std::move(document), std::move(model)});
}

std::vector<double> to_numbers(const py::handle& value, std::size_t count, const std::string& what) {
  std::vector<double> numbers = to_list(value, what);
  if (numbers.size() != count) {
    throw PyError(what + " needs " + std::to_string(count) + " numbers, not " + std::to_string(numbers.size()) + ".");
  }
  for (const double v : numbers) {
    if (!std::isfinite(v)) throw PyError(what + " holds a number that is not finite.");
  }
  return numbers;
}

Vec3 to_vector(const py::handle& value, const std::string& what) {
  const std::vector<double> v = to_numbers(value, 3, what);
  return {v[0], v[1], v[2]};
}

Quat to_quaternion(const py::handle& value, const std::string& what) {
  const std::vector<double> v = to_numbers(value, 4, what);
  const Quat q(v[3], v[0], v[1], v[2]);
  if (q.norm() < 1e-9) throw PyError(what + " is a zero quaternion; it needs x, y, z, w of length 1.");
  return q.normalized();
}

VecX to_pose(const Model& model, const py::handle& value) {
  if (value.is_none()) return neutral_pose(model);
  if (py::isinstance<py::str>(value)) return need(named_pose(model, value.cast<std::string>()));
  if (py::isinstance<py::dict>(value)) {
    VecX q = neutral_pose(model);
    for (const auto& [joint, numbers] : value.cast<py::dict>()) {
      const auto name = joint.cast<std::string>();
      need(model.joint_index(name).status());
      need(set_joint(model, name, to_list(numbers, "Joint " + armature::quoted(name)), q));
    }
    return q;
  }
  const std::vector<double> numbers = to_list(value, "A pose");
  if (static_cast<int>(numbers.size()) != model.q_size()) {
    throw PyError("A pose of " + armature::quoted(model.name()) + " has " + std::to_string(model.q_size()) +
                  " numbers, not " + std::to_string(numbers.size()) + "; its joints are " + join(model.joint_names()) +
                  ".");
  }
  for (const double v : numbers) {
    if (!std::isfinite(v)) throw PyError("A pose holds a number that is not finite.");
  }
  return Eigen::Map<const VecX>(numbers.data(), model.q_size());
}

int to_link(const Model& model, const py::handle& value) {
  if (py::isinstance<py::int_>(value)) {
    const int index = value.cast<int>();
    if (index < 0 || index >= model.link_count()) {
      throw PyError("Link number " + std::to_string(index) + " is outside 0 to " +
                    std::to_string(model.link_count() - 1) + ".");
    }
    return index;
  }
  if (!py::isinstance<py::str>(value)) throw PyError("A link is given by its name.");
  return need(model.link_index(value.cast<std::string>()));
}

int to_frame(const Model& model, const py::handle& value) {
  if (value.is_none()) return -1;
  if (py::isinstance<py::str>(value) && value.cast<std::string>() == "world" && model.find_link("world") < 0) return -1;
  return to_link(model, value);
}

VecX to_velocities(const Model& model, const py::handle& value, const std::string& what) {
  if (value.is_none()) return {};
  VecX v = VecX::Zero(model.v_size());
  if (!py::isinstance<py::dict>(value)) {
    const std::vector<double> numbers = to_numbers(value, static_cast<std::size_t>(model.v_size()), what);
    return Eigen::Map<const VecX>(numbers.data(), model.v_size());
  }
  for (const auto& [key, number] : value.cast<py::dict>()) {
    const ModelJoint& joint = model.joint(need(model.joint_index(key.cast<std::string>())));
    const std::string where = what + " of joint " + armature::quoted(joint.name);
    std::vector<double> numbers = to_list(number, where);
    if (numbers.size() == 1) numbers.assign(static_cast<std::size_t>(joint.v_count), numbers[0]);
    if (static_cast<int>(numbers.size()) != joint.v_count) {
      throw PyError(where + " needs 1 or " + std::to_string(joint.v_count) + " numbers, not " +
                    std::to_string(numbers.size()) + ".");
    }
    for (int k = 0; k < joint.v_count; ++k) v[joint.v_index + k] = numbers[static_cast<std::size_t>(k)];
  }
  return v;
}

py::dict pose_to_dict(const Model& model, const VecX& q) {
  py::dict pose;
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.q_count == 0) continue;
    if (joint.q_count == 1) {
      pose[py::str(joint.name)] = q[joint.q_index];
    } else {
      pose[py::str(joint.name)] =
          std::vector<double>(q.data() + joint.q_index, q.data() + joint.q_index + joint.q_count);
    }
  }
  return pose;
}

py::array_t<double> to_matrix(const Transform& X) {
  py::array_t<double> matrix({4, 4});
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(matrix.mutable_data()) = X.matrix();
  return matrix;
}

}  // namespace armature::python
