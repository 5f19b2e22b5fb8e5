// Linkages that mostly compile, decided by bytes: trees of every joint type, in units from a millionth to a million,
// with limits, cones and mimic joints, and now and then a huge or degenerate number.
#pragma once

#include "armature/geom/rotation.hpp"
#include "armature/model/linkage.hpp"
#include "support/choices.hpp"

namespace armature::fuzz {

/// Fills a joint's parameters soundly.
struct SoundParameters {
  Choices& choose;
  double unit;
  void axis(const char*, Vec3& v) {
    if (choose.below(2) == 0) v = choose.direction();
  }
  void number(const char*, double& v) { v = choose.plain() * unit; }
  void order(const char*, EulerOrder& o) {
    constexpr std::array<std::array<int, 3>, 4> kOrders{{{0, 1, 2}, {2, 1, 0}, {2, 0, 2}, {1, 2, 0}}};
    const std::array<int, 3> order = choose.of(kOrders);
    for (std::size_t i = 0; i < 3; ++i) o.axis[i] = order[i];
  }
};

inline Limits sound_limits(Choices& choose, const JointType& type, double unit) {
  Limits limits;
  if (choose.below(2) == 0) return limits;
  for (Coordinate kind : coordinates(type)) {
    const double by = kind == Coordinate::length ? unit : 1.0;
    double lower = choose.plain() * by, upper = choose.plain() * by;
    if (lower > upper) std::swap(lower, upper);
    const int odd = choose.below(16);
    if (odd == 15) upper = 1e16 * by;
    if (odd == 14) lower = -std::numeric_limits<double>::infinity();
    if (odd == 13) lower = upper;
    limits.lower.push_back(lower);
    limits.upper.push_back(upper);
  }
  return limits;
}

inline Linkage sound_linkage(Choices& choose, int most_links = 12) {
  constexpr std::array<double, 8> kUnits{1.0, 1.0, 1.0, 1.0, 1e-6, 1e-3, 1e3, 1e6};
  const double unit = choose.of(kUnits);
  const std::vector<std::string> types = joint_type_names();
  const bool serial = choose.below(2) == 0;  // the fast path's kind: revolute and prismatic joints in a row
  Linkage linkage;
  linkage.name = "fuzz";
  linkage.links.push_back({"link0", {}});
  const int count = 1 + choose.below(most_links);
  for (int i = 1; i <= count; ++i) {
    const std::string n = std::to_string(i);
    Joint joint;
    joint.name = "joint" + n;
    joint.child = "link" + n;
    joint.parent = "link" + std::to_string(choose.one_in(4) && !serial ? choose.below(i) : i - 1);
    const int type = choose.below(static_cast<int>(types.size()));
    joint.type = serial ? (type % 4 == 3 ? JointType(Prismatic{}) : JointType(Revolute{}))
                        : *joint_type_from_name(types[static_cast<std::size_t>(type)]);
    SoundParameters parameters{choose, unit};
    describe_joint(joint.type, parameters);
    joint.origin = Transform::from(exp_rotation(choose.below(2) == 0 ? Vec3(Vec3::Zero()) : choose.plain_vector()),
                                   choose.plain_vector() * unit);
    if (choose.one_in(8)) joint.origin.position.setZero();
    if (choose.one_in(32)) joint.origin.position *= choose.mixed();
    joint.limits = sound_limits(choose, joint.type, unit);
    const bool ball = std::holds_alternative<Spherical>(joint.type) || std::holds_alternative<Free>(joint.type);
    if (ball && choose.below(2) == 0)
      joint.limits.cone = ConeLimit{choose.direction(), 0.5 + 0.5 * std::abs(choose.plain()), -std::abs(choose.plain()),
                                    std::abs(choose.plain())};
    if (i > 1 && coordinate_count(joint.type) == 1 && choose.one_in(8))
      joint.mimic = Mimic{"joint" + std::to_string(1 + choose.below(i - 1)), choose.plain(), choose.plain()};
    linkage.links.push_back({joint.child, {}});
    linkage.joints.push_back(std::move(joint));
  }
  return linkage;
}

}  // namespace armature::fuzz
