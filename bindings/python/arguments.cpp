// Poses, links and velocities from Python, and back.
#include <cmath>

#include "armature/base/suggest.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "python.hpp"

namespace armature::python {
namespace {

/// Zero quaternions are refused, others brought to length 1; one that has it keeps its bits.
void check_quaternions(const Model& model, double* q, const std::string& name) {
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.q_count < 4) continue;
    const int at = joint.q_index + joint.q_count - 4;
    if (model.coordinate_kinds()[static_cast<std::size_t>(at)] != Coordinate::quaternion) continue;
    const Quat unit = unit_quaternion(q + at, name + " of joint " + armature::quoted(joint.name));
    if (std::abs(Eigen::Map<const Vec4>(q + at).squaredNorm() - 1.0) < 1e-12) continue;
    Eigen::Map<Vec4>(q + at) = unit.coeffs();
  }
}

}  // namespace

FigurePtr make_figure(Document document) {
  Model model = need(compile(document.linkage));
  return std::make_shared<Figure>(Figure{std::move(document), std::move(model)});
}

VecX to_pose(const Model& model, const py::handle& value, const std::string& name) {
  if (value.is_none()) return neutral_pose(model);
  if (PyUnicode_Check(value.ptr())) return need(model.find_pose(to_text(value, name)));
  if (py::isinstance<py::dict>(value)) {
    VecX q = neutral_pose(model);
    for (const auto& [key, numbers] : to_dict(value, name, "a dict")) {
      const ModelJoint& joint = to_joint(model, key, "A joint of " + name);
      const std::string where = "Joint " + armature::quoted(joint.name) + " of " + name;
      need(set_joint(model, joint.name, to_list(numbers, where, "a number or a list of numbers"), q));
    }
    return q;
  }
  const std::string count = std::to_string(model.q_size());
  const std::string must = "a pose of " + armature::quoted(model.name()) + " (the joints " + join(model.joint_names()) +
                           "): the name of a pose, a dict of joints, or " + count +
                           (model.q_size() == 1 ? " number" : " numbers");
  std::vector<double> numbers = to_numbers(value, model.q_size(), name, must);
  check_quaternions(model, numbers.data(), name);
  return Eigen::Map<const VecX>(numbers.data(), model.q_size());
}

Poses to_poses(const Model& model, const py::handle& value, py::ssize_t count, const std::string& name) {
  Poses poses;
  poses.many = is_table(value);
  if (!poses.many) {
    const VecX q = to_pose(model, value, name);
    poses.rows.values.assign(q.data(), q.data() + q.size());
    poses.rows.dimensions = {1, static_cast<py::ssize_t>(q.size())};
    return poses;
  }
  const std::string rows =
      count < 0 ? "an array of N rows with " : "an array of " + std::to_string(count) + " rows with ";
  poses.rows = to_rows(value, model.q_size(), count, name,
                       "a pose of " + armature::quoted(model.name()) + ", or " + rows + std::to_string(model.q_size()) +
                           " numbers each");
  for (py::ssize_t n = 0; n < poses.rows.shape(0); ++n) {
    check_quaternions(model, poses.rows.values.data() + n * model.q_size(), name + "[" + std::to_string(n) + "]");
  }
  return poses;
}

int to_link(const Model& model, const py::handle& value, const std::string& name) {
  if (PyUnicode_Check(value.ptr())) return need(model.find_link(to_text(value, name)));
  if (PyBool_Check(value.ptr()) || PyIndex_Check(value.ptr()) == 0) {
    throw PyError(name + " must be the name of a link, not " + what_it_is(value) + ".");
  }
  const int index = to_integer(value, name);
  if (index < 0 || index >= model.link_count()) {
    throw PyError(name + " is link number " + std::to_string(index) + ", which is outside 0 to " +
                  std::to_string(model.link_count() - 1) + ".");
  }
  return index;
}

int to_frame(const Model& model, const py::handle& value, const std::string& name) {
  if (value.is_none()) return -1;
  if (PyUnicode_Check(value.ptr()) && to_text(value, name) == "world" && !model.has_link("world")) return -1;
  return to_link(model, value, name);
}

const ModelJoint& to_joint(const Model& model, const py::handle& value, const std::string& name) {
  return model.joint(need(model.find_joint(to_text(value, name))));
}

VecX to_velocities(const Model& model, const py::handle& value, const std::string& name) {
  if (!py::isinstance<py::dict>(value)) {
    const std::vector<double> numbers =
        to_numbers(value, model.v_size(), name,
                   "a dict of joints, or " + std::to_string(model.v_size()) + " numbers, one per velocity");
    return Eigen::Map<const VecX>(numbers.data(), model.v_size());
  }
  VecX v = VecX::Zero(model.v_size());
  for (const auto& [key, number] : to_dict(value, name, "a dict")) {
    const ModelJoint& joint = to_joint(model, key, "A joint of " + name);
    const std::string where = name + " of joint " + armature::quoted(joint.name);
    const std::string must = "1 or " + std::to_string(joint.v_count) + " numbers";
    std::vector<double> numbers = to_list(number, where, must);
    if (numbers.size() == 1) numbers.assign(static_cast<std::size_t>(joint.v_count), numbers[0]);
    if (static_cast<int>(numbers.size()) != joint.v_count) {
      throw PyError(where + " must be " + must + ", not " + std::to_string(numbers.size()) + ".");
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

py::array_t<double> to_matrix(const Transform& X) { return from_matrix(X.matrix()); }

}  // namespace armature::python
