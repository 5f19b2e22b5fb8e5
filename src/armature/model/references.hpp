// Every place of a linkage that names a link, or a joint: what renaming, grafting and swapping sides walk over. A new
// list that refers to links or joints by name gets its line here.
#pragma once

#include <string>

#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

/// Calls f(std::string&) for every reference to a link; not for the links' own names, nor for the world ("").
template <class F>
void each_link_reference(Linkage& l, F&& f) {
  for (Joint& joint : l.joints) {
    if (!joint.parent.empty()) f(joint.parent);
    f(joint.child);
  }
  for (std::string& effector : l.effectors) f(effector);
  for (Body& body : l.bodies) f(body.link);
  for (IgnoredPair& pair : l.ignored_pairs) {
    f(pair.a);
    f(pair.b);
  }
  for (Group& group : l.groups) {
    if (!group.base.empty()) f(group.base);
    if (!group.tip.empty()) f(group.tip);
  }
}

/// The same for joints.
template <class F>
void each_joint_reference(Linkage& l, F&& f) {
  for (Joint& joint : l.joints) {
    if (joint.mimic) f(joint.mimic->joint);
  }
  for (NamedPose& pose : l.poses) {
    for (auto& value : pose.values) f(value.first);
  }
  for (Group& group : l.groups) {
    for (std::string& joint : group.joints) f(joint);
  }
}

}  // namespace armature::inline v0_2
