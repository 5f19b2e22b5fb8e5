// Closures decided by bytes: half of them hold at the pose `q`, so that the loop can be assembled, half are anything.
#pragma once

#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/model/compile.hpp"
#include "support/sound_linkage.hpp"

namespace armature::fuzz {

inline Closure any_closure(Choices& choose, const Model& tree, const State& at, const std::string& name) {
  Closure closure;
  closure.name = name;
  const int links = tree.link_count();
  const int a = choose.below(links), b = choose.below(links);
  const bool closed = choose.below(2) == 0;
  const double unit = tree.size();
  closure.a = {tree.link_name(a),
               Transform::from(exp_rotation(choose.plain_vector()), 0.3 * unit * choose.plain_vector())};
  if (choose.one_in(8)) closure.a.link = "";
  closure.b = {tree.link_name(b),
               Transform::from(exp_rotation(choose.plain_vector()), 0.3 * unit * choose.plain_vector())};
  const Transform X_WA = closure.a.link.empty() ? Transform() : at.X_WL[static_cast<std::size_t>(a)];
  if (closed) closure.b.origin = at.X_WL[static_cast<std::size_t>(b)].inverse() * X_WA * closure.a.origin;
  const int kind = choose.below(16);
  if (kind == 15) {
    Coupling coupling;
    coupling.joint = tree.joint(choose.below(links)).name;
    coupling.source = choose.one_in(4) ? "" : tree.joint(choose.below(links)).name;
    for (double& factor : coupling.polynomial) factor = choose.mixed();
    closure.type = coupling;
  } else if (kind == 14) {
    const Transform X_WB = at.X_WL[static_cast<std::size_t>(b)];
    const double gap = (X_WA * closure.a.origin.translation - X_WB * closure.b.origin.translation).norm();
    closure.type = Rod{closed ? std::max(gap, 0.1 * unit) : choose.mixed()};
  } else {
    const std::vector<std::string> types = joint_type_names();
    JointType type = *joint_type_from_name(types[static_cast<std::size_t>(kind) % types.size()]);
    SoundParameters parameters{choose, unit};
    describe_joint(type, parameters);
    if (choose.one_in(4)) closure.limits = sound_limits(choose, type, unit);
    closure.type = type;
  }
  return closure;
}

/// A tree with one to three closures; `q` is the pose at which half of them hold. False where not even the tree
/// compiles.
inline bool any_loops(Choices& choose, Linkage& linkage, VecX& q) {
  linkage = sound_linkage(choose, 7);
  const Result<Model> tree = compile(linkage);
  if (!tree) return false;
  Rng rng(choose.seed());
  q = random_pose(*tree, rng);
  State state;
  forward(*tree, q, state);
  for (int n = 1 + choose.below(3); n > 0; --n)
    linkage.closures.push_back(any_closure(choose, *tree, state, "closure" + std::to_string(n)));
  if (choose.one_in(4)) linkage.drives = {tree->joint(choose.below(tree->link_count())).name};
  return true;
}

}  // namespace armature::fuzz
