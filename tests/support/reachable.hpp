// Goals that are reachable because a pose inside the limits was there first, and how many of them a solver misses. For
// the law tests and for bench/reach_stalls.cpp: the same seed asks the same questions in both.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "armature/base/rng.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/solver.hpp"

namespace armature::test {

/// Leaves that different joints move, one each: camera frames and the like are not asked twice.
inline std::vector<int> moving_leaves(const Model& model) {
  std::vector<int> leaves;
  std::set<int> movers;
  for (int link = 0; link < model.link_count(); ++link) {
    if (!model.is_leaf(link)) continue;
    int mover = link;
    while (mover >= 0 && model.joint(mover).v_count == 0) mover = model.parent(mover);
    if (mover >= 0 && movers.insert(mover).second) leaves.push_back(link);
  }
  return leaves;
}

/// Inside the limits; `edge`: half of the limited coordinates at a bound or within a hundredth of the range of it.
inline VecX reachable_pose(const Model& model, Rng& rng, bool edge) {
  VecX q = random_pose(model, rng);
  if (!edge) return q;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const double low = model.lower()[i], high = model.upper()[i];
    if (!std::isfinite(high - low) || rng.below(2) == 0) continue;
    const double off = rng.below(3) == 0 ? 0.0 : 0.01 * rng.uniform() * (high - low);
    q[i] = rng.below(2) == 0 ? low + off : high - off;
  }
  return q;
}

struct Reachable {
  Goal goal;
  VecX pose;   // that reaches it
  VecX start;  // for the solver: the middle of the limits, or anywhere
};

/// Number `n` of the goals of one link: position, orientation, whole pose; from inside the limits and from their edge;
/// from the middle and from anywhere.
inline Reachable reachable_goal(const Model& model, int link, std::uint64_t seed, int n) {
  Rng rng(seed * 1000003 + static_cast<std::uint64_t>(n));
  Reachable r;
  r.pose = reachable_pose(model, rng, n / 3 % 2 == 1);
  r.start = n / 6 % 2 == 0 ? middle_pose(model) : random_pose(model, rng);
  State state;
  forward(model, r.pose, state);
  const Transform& place = state.X_WL[static_cast<std::size_t>(link)];
  if (n % 3 == 0) {
    PositionGoal goal;
    goal.link = link;
    goal.target = place.position;
    r.goal = goal;
  } else if (n % 3 == 1) {
    OrientationGoal goal;
    goal.link = link;
    goal.target = place.quaternion();
    r.goal = goal;
  } else {
    PoseGoal goal;
    goal.link = link;
    goal.target = place;
    r.goal = goal;
  }
  return r;
}

using MissedGoal = std::function<void(const Reachable& goal, int number, const Report& report)>;

/// How many of goals 0 to count - 1 are not reached.
inline int count_missed(Method& solver, const Model& model, int link, std::uint64_t seed, int count,
                        const MissedGoal& missed = {}) {
  Problem problem;
  problem.model = model;
  int misses = 0;
  for (int n = 0; n < count; ++n) {
    Reachable r = reachable_goal(model, link, seed, n);
    problem.goals.assign(1, r.goal);
    const Report& report = solver.solve(problem, r.start);
    r.start = report.q;
    if (report.ok()) continue;
    ++misses;
    if (missed) missed(r, n, report);
  }
  return misses;
}

/// A serial chain of turning and sliding joints that is hard to search. By the seed: ranges from a twentieth of a
/// radian to a full turn, or all short; places and axes of any kind, or all along the axes of the base, so that many
/// are parallel; some links of no length. `mixed`: screws, cylinders, cardans, balls in cones and mimic joints as well,
/// which the kernels for serial chains do not take.
inline Linkage short_range_chain(int joints, std::uint64_t seed, bool mixed = false) {
  Rng rng(seed * 64 + static_cast<std::uint64_t>(joints));
  const auto u = [&] { return rng.uniform(-1.0, 1.0); };
  const double longest = rng.below(2) == 0 ? 2.0 * kPi : 0.6;
  const double shortest = rng.below(2) == 0 ? 0.05 : 0.005;
  const double sliding = rng.below(4) == 0 ? 0.0 : rng.uniform(0.1, 0.7);  // part of the joints
  const bool square = rng.below(2) == 0;
  const auto unit = [&] { return Vec3(Vec3::Unit(static_cast<int>(rng.below(3)))); };
  const auto place = [&](double size) {
    const Vec3 offset = square ? Vec3(u() * unit()) : Vec3(u(), u(), u());
    const Vec3 turn = square || rng.below(3) == 0 ? Vec3(Vec3::Zero()) : Vec3(u(), u(), u());
    return Transform::from(exp_rotation(3.0 * turn), (rng.below(5) == 0 ? 0.0 : size) * offset);
  };
  Linkage l;
  l.name = "chain_" + std::to_string(joints) + "_" + std::to_string(seed);
  l.links.push_back({"link0", {}});
  const auto add = [&](const std::string& name, const JointType& type, const std::string& child, double size) {
    Joint joint;
    joint.name = name;
    joint.type = type;
    joint.parent = l.links.back().name;
    joint.child = child;
    joint.origin = place(size);
    l.links.push_back({child, {}});
    l.joints.push_back(joint);
  };
  const auto range = [&](bool length) {
    const double width = std::exp(rng.uniform(std::log(shortest), std::log(longest))) * (length ? 0.3 : 1.0);
    const double middle = length ? 0.1 * u() : 1.5 * u();
    return std::pair(middle - 0.5 * width, middle + 0.5 * width);
  };
  std::string turning;  // the last joint that another may mimic
  for (int i = 1; i <= joints; ++i) {
    const Vec3 axis = square || rng.below(3) == 0 ? unit() : Vec3(u(), u(), u()).normalized();
    const bool slides = rng.uniform() < sliding;
    const std::string n = std::to_string(i);
    JointType type = slides ? JointType(Prismatic{axis}) : JointType(Revolute{axis});
    const std::uint64_t kind = mixed ? rng.below(10) : 9;
    if (kind == 0) type = Helical{axis, 0.1 * u()};
    if (kind == 1) type = Cylindrical{axis};
    if (kind == 2) type = Universal{};
    if (kind == 3) type = Spherical{};
    if (kind == 4 && !turning.empty()) type = Revolute{axis};
    add("joint" + n, type, "link" + n, 0.3);
    Joint& joint = l.joints.back();
    if (kind == 4 && !turning.empty()) {
      joint.mimic = Mimic{turning, 1.5 * u(), u()};
      continue;
    }
    if (kind == 3) {
      joint.limits.cone =
          ConeLimit{unit(), std::min(kPi, std::abs(range(false).first)), -0.6 + 0.5 * u(), 0.6 + 0.5 * u()};
      continue;
    }
    for (const Coordinate each : coordinates(type)) {
      const auto [low, high] = range(each == Coordinate::length);
      joint.limits.lower.push_back(low);
      joint.limits.upper.push_back(high);
    }
    if (std::holds_alternative<Revolute>(type)) turning = joint.name;
  }
  add("end", Fixed{}, "tip", 0.2);
  return l;
}

}  // namespace armature::test
