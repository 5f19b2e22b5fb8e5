#include "armature/model/expand.hpp"

#include <algorithm>

#include "armature/base/suggest.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/references.hpp"

namespace armature::inline v0_2 {
namespace {

// The one-coordinate joints whose transforms, multiplied, are the complex joint's. Empty: it has no such form.
struct Parts {
  using List = std::vector<JointType>;
  static JointType turn(int axis) { return Revolute{Vec3::Unit(axis)}; }
  static JointType slide(int axis) { return Prismatic{Vec3::Unit(axis)}; }

  List operator()(const Cylindrical& j) const { return {Revolute{j.axis}, Prismatic{j.axis}}; }
  List operator()(const Universal& j) const { return {Revolute{j.axis}, Revolute{j.axis2}}; }
  List operator()(const Planar& j) const {
    const Vec3 normal = j.normal.normalized();
    const Vec3 x = (j.x_axis - normal * normal.dot(j.x_axis)).normalized();  // as compile makes it
    return {Prismatic{x}, Prismatic{normal.cross(x)}, Revolute{normal}};
  }
  List operator()(const Spherical&) const { return {turn(0), turn(1), turn(2)}; }
  List operator()(const Euler& j) const {
    return {turn(j.order.axis[0]), turn(j.order.axis[1]), turn(j.order.axis[2])};
  }
  List operator()(const Free&) const { return {slide(0), slide(1), slide(2), turn(0), turn(1), turn(2)}; }
  List operator()(const FreeEuler& j) const {
    return {slide(0), slide(1), slide(2), turn(j.order.axis[0]), turn(j.order.axis[1]), turn(j.order.axis[2])};
  }
  template <class Other>
  List operator()(const Other&) const {
    return {};
  }
};

// The parts' coordinates: the same numbers, but a quaternion becomes three angles about x, y, z.
std::vector<double> part_coordinates(const JointType& type, const double* q) {
  std::vector<double> values;
  const std::span<const Coordinate> kinds = coordinates(type);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] != Coordinate::quaternion) {
      values.push_back(q[k]);
      continue;
    }
    const Vec3 angles = matrix_to_euler(EulerOrder{}, joint_detail::quaternion(q + k).toRotationMatrix());
    values.insert(values.end(), angles.data(), angles.data() + 3);
    break;
  }
  return values;
}

std::string part_name(const std::string& joint, std::size_t number) { return joint + "_" + std::to_string(number + 1); }

}  // namespace

Status expand_joint(Linkage& linkage, std::string_view name) {
  const auto at =
      std::find_if(linkage.joints.begin(), linkage.joints.end(), [&](const Joint& j) { return j.name == name; });
  if (at == linkage.joints.end()) {
    std::vector<std::string> names;
    for (const Joint& joint : linkage.joints) names.push_back(joint.name);
    return Error{unknown_name("joint", name, names)};
  }
  const Joint whole = *at;
  if (coordinate_count(whole.type) <= 1) return {};
  const std::vector<JointType> parts = std::visit(Parts{}, whole.type);
  if (parts.empty()) {
    return Error{"Joint " + detail::quoted(name) + " is " + type_name(whole.type) +
                 ", which has no form of one-coordinate joints."};
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part = part_name(whole.name, i);
    if (linkage.find_joint(part) != nullptr || (i + 1 < parts.size() && linkage.find_link(part) != nullptr)) {
      return Error{"Expanding joint " + detail::quoted(name) + " needs the name " + detail::quoted(part) +
                   ", which is taken."};
    }
  }
  const std::span<const Coordinate> kinds = coordinates(whole.type);
  std::vector<Joint> made;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Joint part;
    part.name = part_name(whole.name, i);
    part.type = parts[i];
    part.parent = i == 0 ? whole.parent : part_name(whole.name, i - 1);
    part.child = i + 1 == parts.size() ? whole.child : part.name;
    if (i == 0) part.origin = whole.origin;
    if (i < kinds.size() && kinds[i] != Coordinate::quaternion) {
      if (i < whole.limits.lower.size()) part.limits.lower = {whole.limits.lower[i]};
      if (i < whole.limits.upper.size()) part.limits.upper = {whole.limits.upper[i]};
      if (i < whole.limits.velocity.size()) part.limits.velocity = {whole.limits.velocity[i]};
      if (i < whole.limits.effort.size()) part.limits.effort = {whole.limits.effort[i]};
    }
    made.push_back(std::move(part));
  }
  if (const auto drive = std::find(linkage.drives.begin(), linkage.drives.end(), whole.name);
      drive != linkage.drives.end()) {
    const auto first = linkage.drives.erase(drive);
    std::vector<std::string> names;
    for (const Joint& part : made) names.push_back(part.name);
    linkage.drives.insert(first, names.begin(), names.end());
  }
  made.back().opaque = whole.opaque;
  const auto position = linkage.joints.erase(at);
  linkage.joints.insert(position, made.begin(), made.end());
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) linkage.links.push_back({part_name(whole.name, i), {}});
  for (NamedPose& pose : linkage.poses) {
    for (std::size_t v = 0; v < pose.values.size(); ++v) {
      if (pose.values[v].first != name ||
          static_cast<int>(pose.values[v].second.size()) != coordinate_count(whole.type)) {
        continue;
      }
      const std::vector<double> values = part_coordinates(whole.type, pose.values[v].second.data());
      pose.values.erase(pose.values.begin() + static_cast<std::ptrdiff_t>(v));
      for (std::size_t i = 0; i < values.size(); ++i) pose.values.push_back({part_name(whole.name, i), {values[i]}});
      break;
    }
  }
  return {};
}

Status expand_screw(Linkage& linkage, std::string_view joint) {
  const std::string name(joint);
  Joint* const whole = linkage.find_joint(name);
  if (whole == nullptr || !std::holds_alternative<Helical>(whole->type)) {
    return Error{detail::quoted(name) + " is not a screw joint."};
  }
  const std::string turn = part_name(name, 0);
  const std::string slide = part_name(name, 1);
  if (linkage.find_joint(turn) != nullptr || linkage.find_joint(slide) != nullptr ||
      linkage.find_link(turn) != nullptr) {
    return Error{"Writing the screw joint " + detail::quoted(name) + " needs the names " + detail::quoted(turn) +
                 " and " + detail::quoted(slide) + ", one of which is taken."};
  }
  const Helical screw = std::get<Helical>(whole->type);
  Joint second;
  second.name = slide;
  second.type = Prismatic{screw.axis};
  second.parent = turn;
  second.child = whole->child;
  second.mimic = Mimic{turn, screw.advance(), 0.0};
  whole->name = turn;
  whole->type = Revolute{screw.axis};
  whole->child = turn;
  each_joint_reference(linkage, [&](std::string& reference) {
    if (reference == name) reference = turn;
  });
  closure_edit::rename_joint(linkage, name, turn);
  linkage.links.push_back({turn, {}});
  linkage.joints.push_back(std::move(second));
  return {};
}

Status expand_joints(Linkage& linkage) {
  Linkage copy = linkage;
  for (const Joint& joint : linkage.joints) {
    if (const Status status = expand_joint(copy, joint.name); !status) return status;
  }
  linkage = std::move(copy);
  return {};
}

VecX expand_pose(const Model& model, const VecX& q, const Model& expanded) {
  VecX out(expanded.q_size());
  for (int i = 0; i < expanded.link_count(); ++i) {
    const ModelJoint& joint = expanded.joint(i);
    if (!joint.mimic) neutral_coordinates(joint.type, out.data() + joint.q_index);
  }
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.q_count == 0) continue;
    if (const std::optional<int> same = expanded.lookup_joint(joint.name)) {
      out.segment(expanded.joint(*same).q_index, joint.q_count) = q.segment(joint.q_index, joint.q_count);
      continue;
    }
    const std::vector<double> values = part_coordinates(joint.type, q.data() + joint.q_index);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (const std::optional<int> part = expanded.lookup_joint(part_name(joint.name, k))) {
        out[expanded.joint(*part).q_index] = values[k];
      }
    }
  }
  return out;
}

}  // namespace armature::inline v0_2
