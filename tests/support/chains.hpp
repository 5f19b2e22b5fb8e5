// Serial chains built in code for tests of the fast kernels: real arms from published dimensions, and random ones.
#pragma once

#include <string>
#include <vector>

#include "armature/base/rng.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/chain.hpp"

namespace armature::test {

struct NamedChain {
  std::string name;
  std::vector<ChainJoint> joints;
  Transform tip;

  Chain chain() const { return make_chain(joints, tip); }
  std::vector<double> lower() const {
    std::vector<double> v;
    for (const ChainJoint& j : joints) v.push_back(j.lower);
    return v;
  }
  std::vector<double> upper() const {
    std::vector<double> v;
    for (const ChainJoint& j : joints) v.push_back(j.upper);
    return v;
  }
};

/// Forward kinematics the plain way.
inline Transform plain_forward(const NamedChain& c, const double* q) {
  Transform x;
  for (std::size_t i = 0; i < c.joints.size(); ++i) {
    const ChainJoint& j = c.joints[i];
    x = x * j.origin *
        (j.kind == ChainJointKind::prismatic ? Transform::translate(j.axis * q[i]) : Transform::rotate(j.axis, q[i]));
  }
  return x * c.tip;
}

/// Uniform within the limits, unlimited joints in +-pi; `at_limits`: every joint at a bound.
inline std::vector<double> random_joints(const NamedChain& c, Rng& rng, bool at_limits = false) {
  std::vector<double> q;
  for (const ChainJoint& j : c.joints) {
    const double lo = std::isfinite(j.lower) ? j.lower : -kPi, hi = std::isfinite(j.upper) ? j.upper : kPi;
    const double u = rng.uniform();
    q.push_back(at_limits ? (u < 0.5 ? lo : hi) : lo + u * (hi - lo));
  }
  return q;
}

/// Classical Denavit-Hartenberg rows (a, alpha, d) with limits.
struct ChainDhRow {
  double a, alpha, d, lower, upper;
};
inline NamedChain dh_chain(std::string name, const std::vector<ChainDhRow>& rows) {
  NamedChain c;
  c.name = std::move(name);
  Transform gap;
  for (const ChainDhRow& r : rows) {
    c.joints.push_back({ChainJointKind::revolute, gap, Vec3::UnitZ(), r.lower, r.upper});
    gap = Transform::translate(Vec3(r.a, 0, r.d)) * Transform::rotate(Vec3::UnitX(), r.alpha);
  }
  c.tip = gap;
  return c;
}

/// Universal Robots UR5: published DH dimensions, joints +-2 pi.
inline NamedChain ur5() {
  const double h = kPi / 2, t = 2 * kPi;
  return dh_chain("ur5", {{0, h, 0.089159, -t, t},
                          {-0.425, 0, 0, -t, t},
                          {-0.39225, 0, 0, -t, t},
                          {0, h, 0.10915, -t, t},
                          {0, -h, 0.09465, -t, t},
                          {0, 0, 0.0823, -t, t}});
}

/// Franka Emika Panda: published modified DH dimensions (a, alpha before the joint) and limits; tip at the flange.
inline NamedChain panda() {
  const double h = kPi / 2;
  const double rows[7][5] = {{0, 0, 0.333, -2.8973, 2.8973},        {0, -h, 0, -1.7628, 1.7628},
                             {0, h, 0.316, -2.8973, 2.8973},        {0.0825, h, 0, -3.0718, -0.0698},
                             {-0.0825, -h, 0.384, -2.8973, 2.8973}, {0, h, 0, -0.0175, 3.7525},
                             {0.088, h, 0, -2.8973, 2.8973}};
  NamedChain c;
  c.name = "panda";
  for (const auto& r : rows) {
    const Transform at = Transform::rotate(Vec3::UnitX(), r[1]) * Transform::translate(Vec3(r[0], 0, r[2]));
    c.joints.push_back({ChainJointKind::revolute, at, Vec3::UnitZ(), r[3], r[4]});
  }
  c.tip = Transform::translate(Vec3(0, 0, 0.107));
  return c;
}

/// Random placements and axes; every third joint slides when `sliding`, every fifth has no limits.
inline NamedChain random_chain(int joints, std::uint64_t seed, bool sliding) {
  Rng rng(seed);
  const auto u = [&] { return rng.uniform(-1.0, 1.0); };
  const auto place = [&] {
    return Transform::from(exp_rotation(3.0 * Vec3(u(), u(), u())), 0.4 * Vec3(u(), u(), u()));
  };
  NamedChain c;
  c.name = "random" + std::to_string(joints) + (sliding ? "s" : "");
  for (int i = 0; i < joints; ++i) {
    ChainJoint j;
    j.origin = place();
    j.axis = Vec3(u(), u(), u()).normalized();
    if (i % 4 == 1) j.axis = Vec3::Unit(i % 3) * (i % 2 == 0 ? 1.0 : -1.0);
    if (sliding && i % 3 == 2) {
      j.kind = ChainJointKind::prismatic;
      j.lower = -0.2;
      j.upper = 0.5;
    } else if (i % 5 == 4) {
      j.lower = -std::numeric_limits<double>::infinity();
      j.upper = std::numeric_limits<double>::infinity();
    } else {
      j.lower = -2.2 + 0.2 * u();
      j.upper = 2.0 + 0.4 * u();
    }
    c.joints.push_back(j);
  }
  c.tip = place();
  return c;
}

/// What this machine can run.
inline std::vector<Isa> available_isas() {
  std::vector<Isa> isas;
  for (Isa isa : kIsas) {
    if (isa_available(isa)) isas.push_back(isa);
  }
  return isas;
}

}  // namespace armature::test
