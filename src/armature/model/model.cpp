#include "armature/model/model.hpp"

#include "armature/base/suggest.hpp"

namespace armature {

const std::vector<Visual>& Model::visuals(int link) const {
  return linkage_.links[static_cast<std::size_t>(linkage_link_[static_cast<std::size_t>(link)])].visuals;
}

int Model::find_link(std::string_view name) const {
  const auto it = link_by_name_.find(std::string(name));
  return it != link_by_name_.end() ? it->second : -1;
}

int Model::find_joint(std::string_view name) const {
  const auto it = joint_by_name_.find(std::string(name));
  return it != joint_by_name_.end() ? it->second : -1;
}

Result<int> Model::link_index(std::string_view name) const {
  const int index = find_link(name);
  if (index < 0) return Error{unknown_name("link", name, link_names_)};
  return index;
}

Result<int> Model::joint_index(std::string_view name) const {
  const int index = find_joint(name);
  if (index < 0) return Error{unknown_name("joint", name, joint_names())};
  return index;
}

std::vector<std::string> Model::joint_names() const {
  std::vector<std::string> names;
  for (const ModelJoint& joint : joints_) {
    if (!joint.name.empty()) names.push_back(joint.name);
  }
  return names;
}

std::string Model::coordinate_name(int q) const {
  const ModelJoint& owner = joint(coordinate_joint(q));
  if (owner.q_count == 1) return owner.name;
  const std::size_t k = static_cast<std::size_t>(q - owner.q_index);
  static constexpr const char* kQuaternion[] = {"qx", "qy", "qz", "qw"};
  static constexpr const char* kLength[] = {"x", "y", "z"};
  const std::span<const Coordinate> kinds = coordinates(owner.type);
  if (kinds[k] == Coordinate::quaternion) return owner.name + "." + kQuaternion[k - (kinds.size() - 4)];
  if (const Euler* euler = std::get_if<Euler>(&owner.type)) {
    const std::string axis(1, euler->order.name()[k]);
    return owner.name + "." + axis + (euler->order.proper() && k != 1 ? std::to_string(k + 1) : "");
  }
  if (const FreeEuler* free = std::get_if<FreeEuler>(&owner.type); free != nullptr && k >= 3) {
    const std::string axis(1, free->order.name()[k - 3]);
    return owner.name + ".r" + axis + (free->order.proper() && k != 4 ? std::to_string(k - 2) : "");
  }
  if (kinds[k] == Coordinate::length) return owner.name + "." + (kinds.size() == 2 ? "length" : kLength[k]);
  return owner.name + ".angle" + (std::holds_alternative<Universal>(owner.type) ? std::to_string(k + 1) : "");
}

}  // namespace armature
