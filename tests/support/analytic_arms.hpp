// Arms for the tests of analysis: each row an axis and where it stands at the zero pose, in the world's frame.
#pragma once

#include <cmath>
#include <vector>

#include "support/linkages.hpp"

namespace armature::test {

struct Axis {
  Vec3 direction;
  Vec3 point;
  bool slides = false;
  double limit = 0.0;  // either way; 0: none
};

/// Links "base", "link1" ... and "tip", whose frame at the zero pose is `tip`.
inline Linkage arm_of_axes(const std::vector<Axis>& axes, const Transform& tip) {
  Linkage linkage;
  linkage.name = "axes";
  linkage.links.push_back({"base", {}});
  std::string parent = "base";
  Vec3 before = Vec3::Zero();
  int i = 0;
  for (const Axis& axis : axes) {
    const std::string n = std::to_string(++i);
    linkage.links.push_back({"link" + n, {}});
    const JointType type = axis.slides        ? JointType(Prismatic{axis.direction.normalized()})
                           : axis.limit > 0.0 ? JointType(Revolute{axis.direction.normalized()})
                                              : JointType(Continuous{axis.direction.normalized()});
    Joint j = joint("joint" + n, type, parent, "link" + n, Transform::translate(axis.point - before));
    if (axis.limit > 0.0) j.limits = {{-axis.limit}, {axis.limit}, {}, {}};
    linkage.joints.push_back(j);
    parent = "link" + n;
    before = axis.point;
  }
  linkage.links.push_back({"tip", {}});
  linkage.joints.push_back(joint("end", Fixed{}, parent, "tip", Transform{tip.position - before, tip.rotation}));
  return linkage;
}

inline Vec3 random_direction(Rng& rng) {
  for (;;) {
    const Vec3 v(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
    if (v.norm() > 0.1 && v.norm() < 1.0) return v.normalized();
  }
}

inline Transform random_tip(Rng& rng) { return random_transform(rng, 0.2); }

/// `count` axes without any structure.
inline std::vector<Axis> random_axes(Rng& rng, int count) {
  std::vector<Axis> axes;
  Vec3 p = Vec3::Zero();
  for (int i = 0; i < count; ++i) {
    axes.push_back({random_direction(rng), p});
    p += 0.4 * Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
  }
  return axes;
}

/// Largest difference of two poses, angles modulo full turns.
inline double pose_distance(const Model& model, const VecX& a, const VecX& b) {
  double away = 0.0;
  for (int i = 0; i < model.q_size(); ++i) {
    const bool angle = model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::angle;
    away = std::max(away, std::abs(angle ? std::remainder(a[i] - b[i], 2.0 * kPi) : a[i] - b[i]));
  }
  return away;
}

}  // namespace armature::test
