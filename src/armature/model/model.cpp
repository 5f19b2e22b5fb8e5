#include "armature/model/model.hpp"

#include "armature/base/suggest.hpp"

namespace armature {

const Link& Model::source_link(int link) const {
  return linkage_.links[static_cast<std::size_t>(linkage_link_[static_cast<std::size_t>(link)])];
}

const std::vector<Visual>& Model::visuals(int link) const { return source_link(link).visuals; }

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
  const std::string own = armature::coordinate_name(owner.type, q - owner.q_index);
  return own.empty() ? owner.name : owner.name + "." + own;
}

}  // namespace armature
