// Small mechanisms with loops, built in code, whose answers are known in closed form.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "armature/model/compile.hpp"
#include "support/linkages.hpp"

namespace armature::test {

inline Closure pin(std::string name, std::string a, const Vec3& at_a, std::string b, const Vec3& at_b,
                   ClosureType type = JointType(Revolute{})) {
  Closure closure;
  closure.name = std::move(name);
  closure.type = std::move(type);
  closure.a = {std::move(a), Transform::translate(at_a)};
  closure.b = {std::move(b), Transform::translate(at_b)};
  return closure;
}

/// Crank at the origin, rocker at (ground, 0); "pin" closes it.
inline Linkage four_bar(double ground, double crank, double coupler, double rocker) {
  Linkage l;
  l.name = "four_bar";
  for (const char* name : {"ground", "crank_bar", "coupler", "rocker"}) l.links.push_back({name, {}});
  l.joints = {joint("crank", Revolute{}, "ground", "crank_bar", {}),
              joint("coupler_pin", Revolute{}, "crank_bar", "coupler", Transform::translate(Vec3(crank, 0, 0))),
              joint("rocker_pin", Revolute{}, "ground", "rocker", Transform::translate(Vec3(ground, 0, 0)))};
  l.closures = {pin("pin", "coupler", Vec3(coupler, 0, 0), "rocker", Vec3(rocker, 0, 0))};
  l.drives = {"crank"};
  return l;
}

/// The pose of a four-bar in closed form; `side` +1 or -1 chooses the assembly. False where it does not close.
inline bool four_bar_pose(double ground, double crank, double coupler, double rocker, double angle, double side,
                          VecX& q) {
  const Vec2 a(crank * std::cos(angle), crank * std::sin(angle)), d(ground, 0.0);
  const Vec2 way = d - a;
  const double f = way.norm();
  const double x = (f * f + coupler * coupler - rocker * rocker) / (2.0 * f);
  const double h2 = coupler * coupler - x * x;
  if (h2 < 0.0) return false;
  const Vec2 u = way / f, n(-u.y(), u.x());
  const Vec2 b = a + x * u + side * std::sqrt(h2) * n;
  q.resize(3);
  q << angle, std::atan2(b.y() - a.y(), b.x() - a.x()) - angle, std::atan2(b.y(), b.x() - ground);
  return true;
}

/// A scissor lift: bars of length 1 crossed at their middles, driven by the foot that slides.
inline Linkage scissor(int stages) {
  Linkage l;
  l.name = "scissor";
  l.links.push_back({"ground", {}});
  for (int k = 1; k <= stages; ++k) {
    const std::string n = std::to_string(k), before = std::to_string(k - 1);
    l.links.push_back({"a" + n, {}});
    l.links.push_back({"b" + n, {}});
    l.joints.push_back(joint("aj" + n, Revolute{}, k == 1 ? "ground" : "b" + before, "a" + n,
                             Transform::translate(Vec3(k == 1 ? 0.0 : 0.5, 0, 0))));
    l.joints.push_back(joint("bj" + n, Revolute{}, "a" + n, "b" + n, Transform::translate(Vec3(0.5, 0, 0))));
    l.closures.push_back(k == 1 ? pin("slot", "b1", Vec3(-0.5, 0, 0), "slider", Vec3::Zero())
                                : pin("right" + n, "a" + before, Vec3(1, 0, 0), "b" + n, Vec3(-0.5, 0, 0)));
  }
  l.links.push_back({"slider", {}});
  l.joints.push_back(joint("foot", Prismatic{Vec3::UnitX()}, "ground", "slider", {}));
  l.drives = {"foot"};
  return l;
}
inline VecX scissor_pose(const Model& model, double t) {
  VecX q(model.q_size());
  for (int i = 0; i < model.link_count(); ++i) {
    const ModelJoint& joint = model.joint(i);
    if (joint.q_count == 0) continue;
    q[joint.q_index] = joint.name == "foot"   ? std::cos(t)
                       : joint.name == "aj1"  ? t
                       : joint.name[0] == 'a' ? 2.0 * t - kPi
                                              : kPi - 2.0 * t;
  }
  return q;
}

}  // namespace armature::test
