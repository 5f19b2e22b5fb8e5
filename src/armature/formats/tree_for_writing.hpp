// What the writers of nested robot files ask of a sound linkage: who hangs on whom, and names that are free.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

/// Valid as long as the linkage's joints stay where they are.
class WritingTree {
 public:
  explicit WritingTree(const Linkage& linkage);
  /// The joint above a link; null: there is none.
  const Joint* above(const std::string& link) const;
  /// The joints below a link, in the order of the linkage.
  const std::vector<const Joint*>& below(const std::string& link) const;
  const Link& link(const std::string& name) const { return *links_.at(name); }

 private:
  std::unordered_map<std::string, const Link*> links_;
  std::unordered_map<std::string, const Joint*> above_;
  std::unordered_map<std::string, std::vector<const Joint*>> below_;
};

/// The root of the tree; "" in a linkage without links.
std::string root_link(const Linkage& linkage);

/// Makes a massless link "world", at the world's origin, the root of everything, unless it is already; joints and
/// closures of the world ("") then name it. Another link of that name is renamed; returns its new name, or "".
std::string put_on_world(Linkage& linkage);

/// Whether anything is known of it as a rigid body.
bool has_inertial(const Link& link);

/// `name`, with underscores behind it until no link (joint) has it.
std::string fresh_link(const Linkage& linkage, std::string name);
std::string fresh_joint(const Linkage& linkage, std::string name);

}  // namespace armature::inline v0_2
