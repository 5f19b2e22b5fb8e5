// A Model as a KDL tree, for side-by-side tests and benchmarks. KDL knows fixed joints and joints of one coordinate.
#pragma once

#include <kdl/tree.hpp>
#include <optional>

#include "armature/model/model.hpp"

namespace armature::peers {

inline KDL::Vector to_kdl(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
inline KDL::Frame to_kdl(const Transform& X) {
  const Mat3& R = X.rotation;
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
          to_kdl(X.position)};
}
inline Transform from_kdl(const KDL::Frame& f) {
  Transform X;
  for (int r = 0; r < 3; ++r) {
    X.position[r] = f.p[r];
    for (int c = 0; c < 3; ++c) X.rotation(r, c) = f.M(r, c);
  }
  return X;
}

/// The joint's axis when it has one coordinate and KDL has its like.
inline std::optional<KDL::Joint> kdl_joint(const ModelJoint& joint, const std::string& name) {
  const auto make = [&](const Vec3& axis, KDL::Joint::JointType type) {
    return KDL::Joint(name, to_kdl(joint.origin.position), to_kdl(joint.origin.rotation * axis), type);
  };
  if (std::holds_alternative<Fixed>(joint.type)) return KDL::Joint(name, KDL::Joint::Fixed);
  if (const auto* t = std::get_if<Revolute>(&joint.type)) return make(t->axis, KDL::Joint::RotAxis);
  if (const auto* t = std::get_if<Continuous>(&joint.type)) return make(t->axis, KDL::Joint::RotAxis);
  if (const auto* t = std::get_if<Prismatic>(&joint.type)) return make(t->axis, KDL::Joint::TransAxis);
  return std::nullopt;
}

/// The whole tree below KDL's root "world", segments named like links; nothing where a joint has no like in KDL.
inline std::optional<KDL::Tree> kdl_tree(const Model& model) {
  KDL::Tree tree("world");
  for (int link = 0; link < model.link_count(); ++link) {
    const ModelJoint& joint = model.joint(link);
    const auto kdl = kdl_joint(joint, joint.name.empty() ? "root" : joint.name);
    if (!kdl) return std::nullopt;
    const std::string parent = joint.parent < 0 ? "world" : model.link_name(joint.parent);
    tree.addSegment(KDL::Segment(model.link_name(link), *kdl, to_kdl(joint.origin)), parent);
  }
  return tree;
}

/// Value of the joint above `link` (a mimic's computed from its source's).
inline double joint_value(const ModelJoint& joint, const VecX& q) {
  return joint.multiplier * q[joint.q_index] + joint.offset;
}

}  // namespace armature::peers
