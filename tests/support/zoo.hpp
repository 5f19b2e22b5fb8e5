// Linkages for tests of solvers and goals: a tree with every joint type, and simple arms.
#pragma once

#include <string>

#include "armature/base/rng.hpp"
#include "armature/model/compile.hpp"

namespace armature::test {

inline Joint make_joint(std::string name, JointType type, std::string parent, std::string child, const Vec3& at,
                        const Vec3& turn = Vec3::Zero()) {
  Joint joint;
  joint.name = std::move(name);
  joint.type = std::move(type);
  joint.parent = std::move(parent);
  joint.child = std::move(child);
  joint.origin = Transform::from(exp_rotation(turn), at);
  return joint;
}

inline void add(Linkage& linkage, Joint joint) {
  linkage.links.push_back({joint.child, {}});
  linkage.joints.push_back(std::move(joint));
}

inline Model must_compile(const Linkage& linkage) {
  Result<Model> model = compile(linkage);
  ARMATURE_CHECK(model.ok(), model.message().c_str());
  return std::move(model).value();
}

/// A free root with two limbs; every joint type, cones, limits and a mimic joint across limbs.
inline Linkage zoo_linkage() {
  Linkage l;
  l.name = "zoo";
  add(l, make_joint("root", Free{}, "", "pelvis", Vec3(0.1, 0.2, 0.3)));
  add(l, make_joint("spine", Euler{}, "pelvis", "chest", Vec3(0, 0, 0.4), Vec3(0.1, -0.2, 0.3)));
  Joint shoulder = make_joint("shoulder", Spherical{}, "chest", "upper", Vec3(0.2, 0, 0.2), Vec3(0, 1.2, 0));
  shoulder.limits.cone = ConeLimit{Vec3::UnitX(), 1.9, -1.0, 1.2};
  add(l, shoulder);
  Joint elbow = make_joint("elbow", Revolute{Vec3::UnitY()}, "upper", "fore", Vec3(0.35, 0, 0));
  elbow.limits.lower = {-2.5};
  elbow.limits.upper = {0.1};
  add(l, elbow);
  add(l, make_joint("screw", Helical{Vec3(0.6, 0.0, 0.8), 0.05}, "fore", "wrist", Vec3(0.3, 0, 0.05)));
  Joint slide = make_joint("piston", Cylindrical{Vec3::UnitX()}, "wrist", "hand", Vec3(0.1, 0.02, 0), Vec3(0.3, 0, 0));
  slide.limits.lower = {-1.0, -0.1};
  slide.limits.upper = {1.0, 0.2};
  add(l, slide);
  add(l, make_joint("cardan", Universal{}, "chest", "upper2", Vec3(-0.2, 0, 0.2), Vec3(0, -1.1, 0.2)));
  add(l, make_joint("table", Planar{Vec3(0, 0.6, 0.8), Vec3::UnitX()}, "upper2", "fore2", Vec3(-0.3, 0, 0)));
  Joint stroke = make_joint("stroke", Prismatic{Vec3::UnitZ()}, "fore2", "wrist2", Vec3(0, 0.1, 0), Vec3(0.4, 0.5, 0));
  stroke.limits.lower = {-0.2};
  stroke.limits.upper = {0.3};
  add(l, stroke);
  add(l, make_joint("spin", Continuous{{Vec3::UnitX()}}, "wrist2", "hand2", Vec3(0.1, 0, 0.1)));
  Joint follower = make_joint("follower", Revolute{Vec3::UnitZ()}, "hand2", "finger2", Vec3(0.1, 0, 0));
  follower.mimic = Mimic{"elbow", -0.7, 0.2};
  add(l, follower);
  add(l, make_joint("nail", Fixed{}, "finger2", "tip2", Vec3(0.05, 0, 0), Vec3(0.3, 0.2, 0.1)));
  return l;
}

/// n revolute joints about alternating axes, links of equal length adding up to 1, limits +-2.5.
inline Linkage arm_linkage(int joints) {
  Linkage l;
  l.name = "arm" + std::to_string(joints);
  l.links.push_back({"base", {}});
  std::string parent = "base";
  for (int i = 0; i < joints; ++i) {
    const Vec3 axis = i % 3 == 0 ? Vec3::UnitZ() : i % 3 == 1 ? Vec3::UnitY() : Vec3::UnitX();
    const std::string child = "link" + std::to_string(i + 1);
    Joint joint = make_joint("joint" + std::to_string(i + 1), Revolute{axis}, parent, child,
                             i == 0 ? Vec3(Vec3::Zero()) : Vec3(0, 0, 1.0 / joints));
    joint.limits.lower = {-2.5};
    joint.limits.upper = {2.5};
    add(l, joint);
    parent = child;
  }
  add(l, make_joint("tool", Fixed{}, parent, "hand", Vec3(0, 0, 1.0 / joints)));
  return l;
}

}  // namespace armature::test
