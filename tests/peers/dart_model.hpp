// A Model as a DART skeleton, for side-by-side tests and benchmarks: every joint type of the built-in models.
#pragma once

#include <dart/dynamics/dynamics.hpp>

#include "armature/model/model.hpp"

namespace armature::peers {

inline Eigen::Isometry3d to_dart(const Transform& X) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() = X.rotation;
  T.translation() = X.position;
  return T;
}

namespace dart_detail {
template <class JointT, class Setup>
dart::dynamics::BodyNode* add(dart::dynamics::Skeleton& skeleton, dart::dynamics::BodyNode* parent, const Model& model,
                              int link, Setup setup) {
  typename JointT::Properties properties;
  properties.mName = model.joint(link).name.empty() ? "root" : model.joint(link).name;
  properties.mT_ParentBodyToJoint = to_dart(model.joint(link).origin);
  setup(properties);
  dart::dynamics::BodyNode::Properties body;
  body.mName = model.link_name(link);
  return skeleton.createJointAndBodyNodePair<JointT>(parent, properties, body).second;
}
}  // namespace dart_detail

/// Bodies in the model's order, named like links. Euler joints become ball joints.
inline dart::dynamics::SkeletonPtr dart_skeleton(const Model& model) {
  using namespace dart::dynamics;
  SkeletonPtr skeleton = Skeleton::create(model.name());
  for (int link = 0; link < model.link_count(); ++link) {
    const ModelJoint& joint = model.joint(link);
    BodyNode* parent = joint.parent < 0 ? nullptr : skeleton->getBodyNode(model.link_name(joint.parent));
    const auto nothing = [](auto&) {};
    if (const auto* t = std::get_if<Revolute>(&joint.type)) {
      dart_detail::add<RevoluteJoint>(*skeleton, parent, model, link, [&](auto& p) { p.mAxis = t->axis; });
    } else if (const auto* t = std::get_if<Continuous>(&joint.type)) {
      dart_detail::add<RevoluteJoint>(*skeleton, parent, model, link, [&](auto& p) { p.mAxis = t->axis; });
    } else if (const auto* t = std::get_if<Prismatic>(&joint.type)) {
      dart_detail::add<PrismaticJoint>(*skeleton, parent, model, link, [&](auto& p) { p.mAxis = t->axis; });
    } else if (const auto* t = std::get_if<Universal>(&joint.type)) {
      dart_detail::add<UniversalJoint>(*skeleton, parent, model, link, [&](auto& p) {
        p.mAxis[0] = t->axis;
        p.mAxis[1] = t->axis2;
      });
    } else if (std::holds_alternative<Spherical>(joint.type) || std::holds_alternative<Euler>(joint.type)) {
      dart_detail::add<BallJoint>(*skeleton, parent, model, link, nothing);
    } else if (std::holds_alternative<Free>(joint.type)) {
      dart_detail::add<FreeJoint>(*skeleton, parent, model, link, nothing);
    } else if (std::holds_alternative<Fixed>(joint.type)) {
      dart_detail::add<WeldJoint>(*skeleton, parent, model, link, nothing);
    } else {
      return nullptr;
    }
  }
  return skeleton;
}

/// Gives the skeleton the pose q.
inline void set_dart_pose(const Model& model, const VecX& q, dart::dynamics::Skeleton& skeleton) {
  using namespace dart::dynamics;
  for (int link = 0; link < model.link_count(); ++link) {
    const ModelJoint& joint = model.joint(link);
    dart::dynamics::Joint* target = skeleton.getBodyNode(model.link_name(link))->getParentJoint();
    const double* own = q.data() + joint.q_index;
    const Transform A = joint.q_count > 1 ? joint_transform(joint.type, own) : Transform();
    if (joint.q_count == 1) {
      target->setPosition(0, joint.multiplier * own[0] + joint.offset);
    } else if (std::holds_alternative<Universal>(joint.type)) {
      target->setPositions(Eigen::Vector2d(own[0], own[1]));
    } else if (std::holds_alternative<Free>(joint.type)) {
      target->setPositions(FreeJoint::convertToPositions(to_dart(A)));
    } else if (joint.q_count > 1) {
      target->setPositions(BallJoint::convertToPositions(A.rotation));
    }
  }
}

}  // namespace armature::peers
