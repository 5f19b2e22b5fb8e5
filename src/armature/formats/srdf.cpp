#include "armature/formats/srdf.hpp"

#include <algorithm>
#include <unordered_set>

#include "armature/base/suggest.hpp"
#include "armature/formats/dropped.hpp"
#include "armature/formats/xml.hpp"

namespace armature::inline v0_2 {
namespace {

class SrdfReader {
 public:
  SrdfReader(const Source& source, const XmlTree& tree, Linkage& linkage, std::vector<std::string>& notes)
      : x_(source, tree), linkage_(linkage), notes_(notes) {
    for (const Link& link : linkage.links) links_.insert(link.name);
  }

  Status read(XmlRef robot) {
    const auto name = robot.attribute("name");
    if (name && !linkage_.name.empty() && *name != linkage_.name) {
      notes_.push_back("The SRDF is of the robot " + armature::detail::quoted(std::string_view(*name)) +
                       ", the URDF of " + armature::detail::quoted(std::string_view(linkage_.name)) + ".");
    }
    for (const XmlRef element : robot) {
      if (element.is("group")) read_group(element);
      if (element.is("disable_collisions")) read_pair(element);
      if (element.is("end_effector")) read_effector(element);
      const bool known = element.is("group") || element.is("disable_collisions") || element.is("end_effector") ||
                         element.is("group_state");
      if (!known) dropped_.add("<" + std::string(element.name()) + ">");
    }
    for (const XmlRef element : robot) {  // states name groups that may come later
      if (element.is("group_state")) read_state(element);
    }
    if (!x_.ok()) return x_.error();
    if (!strangers_.empty()) notes_.push_back("The SRDF names what the URDF lacks: " + strangers_.text() + ".");
    if (!dropped_.empty()) notes_.push_back(dropped_.sentence("Dropped from the SRDF:"));
    return {};
  }

 private:
  /// Each joint once: groups that name each other's groups twice would grow by powers of two.
  struct JointList {
    std::vector<std::string> names;
    std::unordered_set<std::string> known;
    bool add(const std::string& name) {
      if (!known.insert(name).second) return false;
      names.push_back(name);
      return true;
    }
  };

  bool has_link(const std::string& name) {
    if (links_.count(name) != 0) return true;
    strangers_.add(name);
    return false;
  }

  // A chain; or links and joints, which make one when they hang below each other; or other groups.
  void read_group(XmlRef element) {
    Group group;
    if (!x_.text(element, "name", group.name)) return;
    JointList joints;
    for (const XmlRef part : element) {
      std::string word;
      if (part.is("chain")) {
        std::string tip;
        if (!x_.text(part, "base_link", word) || !x_.text(part, "tip_link", tip)) return;
        if (!has_link(word) || !has_link(tip)) return;
        group.base = word;
        group.tip = tip;
      } else if (part.is("joint") && x_.text(part, "name", word)) {
        if (linkage_.find_joint(word) != nullptr) {
          joints.add(word);
        } else if (word != "virtual_joint") {
          strangers_.add(word);
        }
      } else if (part.is("link") && x_.text(part, "name", word) && has_link(word)) {
        if (const Joint* above = linkage_.joint_above(word)) joints.add(above->name);
      } else if (part.is("group") && x_.text(part, "name", word)) {
        for (const Group& other : linkage_.groups) {
          if (other.name == word) add_joints_of(other, joints);
        }
      }
    }
    if (group.tip.empty()) {
      as_chain(joints.names, group);
      group.joints = std::move(joints.names);
    }
    if (!group.tip.empty() || !group.joints.empty()) linkage_.groups.push_back(std::move(group));
  }

  void add_joints_of(const Group& group, JointList& joints) {
    for (const std::string& name : group.joints) joints.add(name);
    std::string link = group.tip;
    for (std::size_t n = 0; n < linkage_.joints.size() && !link.empty() && link != group.base;
         ++n) {  // it may be no tree
      const Joint* above = linkage_.joint_above(link);
      if (above == nullptr) return;
      joints.add(above->name);
      link = above->parent;
    }
  }

  // Joints that follow each other are a chain: its base and tip are told.
  void as_chain(const std::vector<std::string>& joints, Group& group) {
    std::unordered_set<std::string> parents, children;
    for (const std::string& name : joints) {
      const Joint& joint = *linkage_.find_joint(name);
      if (!parents.insert(joint.parent).second) return;  // it forks
      children.insert(joint.child);
    }
    for (const std::string& name : joints) {
      const Joint& joint = *linkage_.find_joint(name);
      if (children.count(joint.parent) == 0) {
        if (!group.base.empty()) return static_cast<void>(group.base.clear(), group.tip.clear());
        group.base = joint.parent;
      }
      if (parents.count(joint.child) == 0) group.tip = joint.child;
    }
  }

  void read_pair(XmlRef element) {
    IgnoredPair pair;
    if (!x_.text(element, "link1", pair.a) || !x_.text(element, "link2", pair.b)) return;
    if (const auto reason = element.attribute("reason")) pair.reason = *reason;
    if (has_link(pair.a) && has_link(pair.b)) linkage_.ignored_pairs.push_back(std::move(pair));
  }

  // What one reaches with is the link that the effector hangs on.
  void read_effector(XmlRef element) {
    std::string link;
    if (!x_.text(element, "parent_link", link) || !has_link(link)) return;
    auto& all = linkage_.effectors;
    if (std::find(all.begin(), all.end(), link) == all.end()) all.push_back(link);
  }

  // Two groups may have a state of one name ("home"): then each is called "group.home".
  void read_state(XmlRef element) {
    NamedPose pose;
    std::string group;
    if (!x_.text(element, "name", pose.name) || !x_.text(element, "group", group)) return;
    for (const XmlRef part : element) {
      std::string joint;
      if (!part.is("joint") || !x_.text(part, "name", joint)) continue;
      double values[7];
      const auto text = part.attribute("value");
      const int count = text ? split_numbers(*text, values, 7) : -1;
      if (count < 1) {
        x_.fail(part, "The attribute 'value' must hold the joint's numbers.");
        return;
      }
      const Joint* known = linkage_.find_joint(joint);
      if (known == nullptr) {
        strangers_.add(joint);
      } else if (coordinate_count(known->type) == count && !known->mimic) {
        pose.values.push_back({joint, std::vector<double>(values, values + count)});
      }
    }
    const auto taken = [&](const std::string& name) {
      return std::any_of(linkage_.poses.begin(), linkage_.poses.end(),
                         [&](const NamedPose& other) { return other.name == name; });
    };
    if (taken(pose.name)) pose.name = group + "." + pose.name;
    if (!pose.values.empty() && !taken(pose.name)) linkage_.poses.push_back(std::move(pose));
  }

  XmlFields x_;
  Linkage& linkage_;
  std::vector<std::string>& notes_;
  std::unordered_set<std::string> links_;
  NameList strangers_;
  Dropped dropped_;
};

}  // namespace

Status read_srdf(std::string_view bytes, const std::string& file_name, Linkage& linkage,
                 std::vector<std::string>& notes) {
  const Source source{bytes, file_name};
  const Result<XmlTree> tree = XmlTree::parse(source);
  if (!tree) return tree.error();
  if (!tree->root().is("robot")) {
    return source.error("The outermost element is <" + std::string(tree->root().name()) + ">; an SRDF has <robot>.");
  }
  Linkage copy = linkage;
  if (Status status = SrdfReader(source, *tree, copy, notes).read(tree->root()); !status) return status;
  linkage = std::move(copy);
  return {};
}

}  // namespace armature::inline v0_2
