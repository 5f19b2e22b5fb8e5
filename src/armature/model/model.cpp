#include "armature/model/model.hpp"

#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {

const Link& Model::source_link(int link) const {
  return data_->linkage.links[static_cast<std::size_t>(data_->linkage_link[static_cast<std::size_t>(link)])];
}

const std::vector<Visual>& Model::visuals(int link) const { return source_link(link).visuals; }

std::optional<int> Model::lookup_link(std::string_view name) const {
  const auto it = data_->link_by_name.find(name);
  return it != data_->link_by_name.end() ? std::optional<int>(it->second) : std::nullopt;
}

std::optional<int> Model::lookup_joint(std::string_view name) const {
  const auto it = data_->joint_by_name.find(name);
  return it != data_->joint_by_name.end() ? std::optional<int>(it->second) : std::nullopt;
}

Result<int> Model::find_link(std::string_view name) const {
  if (const std::optional<int> index = lookup_link(name)) return *index;
  return Error{unknown_name("link", name, data_->link_names)};
}

Result<int> Model::find_joint(std::string_view name) const {
  if (const std::optional<int> index = lookup_joint(name)) return *index;
  return Error{unknown_name("joint", name, joint_names())};
}

std::vector<std::string> Model::joint_names() const {
  std::vector<std::string> names;
  for (const ModelJoint& joint : data_->joints) {
    if (!joint.name.empty()) names.push_back(joint.name);
  }
  return names;
}

std::string Model::coordinate_name(int q) const {
  const ModelJoint& owner = joint(coordinate_joint(q));
  const std::string own = armature::coordinate_name(owner.type, q - owner.q_index);
  return own.empty() ? owner.name : owner.name + "." + own;
}

}  // namespace armature::inline v0_2
