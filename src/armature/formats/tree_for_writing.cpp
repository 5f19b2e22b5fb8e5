#include "armature/formats/tree_for_writing.hpp"

#include <algorithm>

#include "armature/model/edit.hpp"

namespace armature::inline v0_2 {

WritingTree::WritingTree(const Linkage& linkage) {
  for (const Link& link : linkage.links) links_.emplace(link.name, &link);
  for (const Joint& joint : linkage.joints) {
    above_.emplace(joint.child, &joint);
    below_[joint.parent].push_back(&joint);
  }
}

const Joint* WritingTree::above(const std::string& link) const {
  const auto found = above_.find(link);
  return found != above_.end() ? found->second : nullptr;
}

const std::vector<const Joint*>& WritingTree::below(const std::string& link) const {
  static const std::vector<const Joint*> none;
  const auto found = below_.find(link);
  return found != below_.end() ? found->second : none;
}

std::string root_link(const Linkage& linkage) {
  for (const Joint& joint : linkage.joints) {
    if (joint.parent.empty()) return joint.child;
  }
  const WritingTree tree(linkage);
  for (const Link& link : linkage.links) {
    if (tree.above(link.name) == nullptr) return link.name;
  }
  return "";
}

std::string put_on_world(Linkage& linkage) {
  const std::string world = "world";
  std::string root = root_link(linkage);
  const auto above =
      std::find_if(linkage.joints.begin(), linkage.joints.end(), [](const Joint& j) { return j.parent.empty(); });
  const bool fixed =
      above == linkage.joints.end() || (std::holds_alternative<Fixed>(above->type) && above->origin.is_identity());
  std::string renamed;
  if (root == world && fixed && !has_inertial(*linkage.find_link(root))) {
    if (above != linkage.joints.end()) linkage.joints.erase(above);
  } else {
    if (linkage.find_link(world) != nullptr) {
      renamed = fresh_link(linkage, world);
      (void)rename_link(linkage, world, renamed);  // cannot fail: the one name exists, the other does not
      if (root == world) root = renamed;
    }
    linkage.links.insert(linkage.links.begin(), {world, {}});
    if (above != linkage.joints.end()) {
      above->parent = world;
    } else {
      Joint joint;
      joint.name = fresh_joint(linkage, root + "_frame");
      joint.type = Fixed{};
      joint.parent = world;
      joint.child = root;
      linkage.joints.insert(linkage.joints.begin(), std::move(joint));
    }
  }
  for (Closure& closure : linkage.closures) {
    if (std::holds_alternative<Coupling>(closure.type)) continue;
    for (ClosureFrame* frame : {&closure.a, &closure.b}) {
      if (frame->link.empty()) frame->link = world;
    }
  }
  return renamed;
}

bool has_inertial(const Link& link) { return link.mass > 0.0 || !link.center.isZero(0.0) || !link.inertia.isZero(0.0); }

std::string fresh_link(const Linkage& linkage, std::string name) {
  while (linkage.find_link(name) != nullptr) name += "_";
  return name;
}

std::string fresh_joint(const Linkage& linkage, std::string name) {
  while (linkage.find_joint(name) != nullptr) name += "_";
  return name;
}

}  // namespace armature::inline v0_2
