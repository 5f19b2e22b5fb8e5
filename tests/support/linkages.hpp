// Small linkages built in code, shared by the tests: no files, no readers needed.
#pragma once

#include <string>
#include <vector>

#include "armature/base/rng.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"

namespace armature::test {

inline Joint joint(std::string name, JointType type, std::string parent, std::string child,
                   const Transform& placement) {
  Joint j;
  j.name = std::move(name);
  j.type = std::move(type);
  j.parent = std::move(parent);
  j.child = std::move(child);
  j.origin = placement;
  return j;
}

inline Transform random_transform(Rng& rng, double size = 1.0) {
  const auto u = [&] { return rng.uniform(-1.0, 1.0); };
  const Mat3 rotation = exp_rotation(3.0 * Vec3(u(), u(), u())).toRotationMatrix();
  return {size * Vec3(u(), u(), u()), rotation};
}

/// A joint type with parameters that are nothing special.
inline JointType unusual(const JointType& type) {
  JointType t = type;
  struct Fill {
    int n = 0;
    void axis(const char*, Vec3& v) { v = (n++ == 0 ? Vec3(1, 2, -1) : Vec3(0.5, -1, 2)).normalized(); }
    void number(const char*, double& v) { v = 0.7; }
    void order(const char*, EulerOrder& o) { o = {{1, 2, 0}}; }
  } fill;
  describe_joint(t, fill);
  return t;
}

/// Every joint type with unusual parameters.
inline std::vector<JointType> every_joint_type() {
  std::vector<JointType> all;
  for (const std::string& name : joint_type_names()) all.push_back(unusual(*joint_type_from_name(name)));
  return all;
}

/// A chain link0 - link1 - ... of the given joints at random placements, plus a tip.
inline Linkage random_chain(const std::vector<JointType>& types, std::uint64_t seed, double size = 1.0) {
  Rng rng(seed);
  Linkage l;
  l.name = "chain";
  l.links.push_back({"link0", {}});
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string child = "link" + std::to_string(i + 1);
    l.links.push_back({child, {}});
    l.joints.push_back(joint("joint" + std::to_string(i + 1), types[i], "link" + std::to_string(i), child,
                             random_transform(rng, size)));
  }
  l.links.push_back({"tip", {}});
  l.joints.push_back(
      joint("tip_joint", Fixed{}, "link" + std::to_string(types.size()), "tip", random_transform(rng, size)));
  return l;
}

/// The chapter's arm: n revolute joints about z, links of the given lengths along x, link "tip" at the end.
inline Linkage planar_arm(const std::vector<double>& lengths) {
  Linkage l;
  l.name = "planar_arm";
  l.links.push_back({"base", {}});
  std::string parent = "base";
  double from = 0.0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::string n = std::to_string(i + 1);
    l.links.push_back({"link" + n, {}});
    l.joints.push_back(joint("joint" + n, Revolute{}, parent, "link" + n, Transform::translate(Vec3(from, 0, 0))));
    parent = "link" + n;
    from = lengths[i];
  }
  l.links.push_back({"tip", {}});
  l.joints.push_back(joint("tip_joint", Fixed{}, parent, "tip", Transform::translate(Vec3(from, 0, 0))));
  return l;
}

/// A tree with every joint type, two branches, a mimic joint across them, and a free root joint.
inline Linkage everything_tree(std::uint64_t seed = 7) {
  Rng rng(seed);
  Linkage l;
  l.name = "everything";
  l.links.push_back({"root", {}});
  l.joints.push_back(joint("root_joint", Free{}, "", "root", random_transform(rng)));
  const std::vector<JointType> types = every_joint_type();
  for (const char* side : {"left", "right"}) {
    std::string parent = "root";
    for (const JointType& type : types) {
      const std::string child = std::string(side) + "_" + type_name(type);
      l.links.push_back({child, {}});
      l.joints.push_back(joint(child + "_joint", type, parent, child, random_transform(rng, 0.5)));
      parent = child;
    }
  }
  l.find_joint("right_revolute_joint")->mimic = Mimic{"left_revolute_joint", -0.5, 0.2};
  l.find_joint("right_prismatic_joint")->mimic = Mimic{"left_prismatic_joint", 2.0, 0.1};
  return l;
}

inline Model compiled(const Linkage& linkage) {
  Result<Model> model = compile(linkage);
  ARMATURE_CHECK(model.ok(), "a test's linkage does not compile");
  return std::move(model).value();
}

}  // namespace armature::test
