// Arms that the tests of methods reach with; linkages.hpp has the simpler ones.
#pragma once

#include <string>
#include <vector>

#include "support/linkages.hpp"

namespace armature::test {

/// A chain of `count` ball joints, `length` apart along x, and "tip" at its end.
inline Linkage ball_chain(int count, double length) {
  Linkage linkage;
  linkage.name = "balls";
  linkage.links.push_back({"base", {}});
  std::string parent = "base";
  for (int i = 1; i <= count; ++i) {
    const std::string n = std::to_string(i);
    linkage.links.push_back({"link" + n, {}});
    linkage.joints.push_back(
        joint("ball" + n, Spherical{}, parent, "link" + n, Transform::translate(Vec3(i == 1 ? 0.0 : length, 0, 0))));
    parent = "link" + n;
  }
  linkage.links.push_back({"tip", {}});
  linkage.joints.push_back(joint("end", Fixed{}, parent, "tip", Transform::translate(Vec3(length, 0, 0))));
  return linkage;
}

/// Seven revolute joints with limits, proportions of a common robot arm; `scale` in metres.
inline Linkage seven_linkage(double scale = 1.0, bool limited = true) {
  struct Row {
    Vec3 axis;
    double z;
    double limit;
  };
  const Row rows[] = {{Vec3::UnitZ(), 0.16, 2.96},  {Vec3::UnitY(), 0.20, 2.09}, {Vec3::UnitZ(), 0.20, 2.96},
                      {-Vec3::UnitY(), 0.22, 2.09}, {Vec3::UnitZ(), 0.18, 2.96}, {Vec3::UnitY(), 0.22, 2.09},
                      {Vec3::UnitZ(), 0.08, 3.05}};
  Linkage linkage;
  linkage.name = "seven";
  linkage.links.push_back({"base", {}});
  std::string parent = "base";
  int i = 0;
  for (const Row& row : rows) {
    const std::string n = std::to_string(++i);
    linkage.links.push_back({"link" + n, {}});
    Joint j =
        joint("joint" + n, Revolute{row.axis}, parent, "link" + n, Transform::translate(Vec3(0, 0, row.z * scale)));
    if (limited) {
      j.limits.lower = {-row.limit};
      j.limits.upper = {row.limit};
    }
    linkage.joints.push_back(j);
    parent = "link" + n;
  }
  linkage.links.push_back({"tip", {}});
  linkage.joints.push_back(joint("end", Fixed{}, parent, "tip", Transform::translate(Vec3(0, 0, 0.05 * scale))));
  return linkage;
}

/// The linkage with all its lengths multiplied: metres to millimetres and the like.
inline Linkage scaled(Linkage linkage, double factor) {
  for (Joint& joint : linkage.joints) {
    joint.origin.position *= factor;
    if (Helical* helical = std::get_if<Helical>(&joint.type)) helical->pitch *= factor;
    const std::span<const Coordinate> kinds = coordinates(joint.type);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] != Coordinate::length) continue;
      if (i < joint.limits.lower.size()) joint.limits.lower[i] *= factor;
      if (i < joint.limits.upper.size()) joint.limits.upper[i] *= factor;
    }
  }
  return linkage;
}

}  // namespace armature::test
