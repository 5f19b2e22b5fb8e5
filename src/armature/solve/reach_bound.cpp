#include "armature/solve/reach_bound.hpp"

#include <algorithm>
#include <cmath>

namespace armature::inline v0_2 {
namespace {

// How far the joint can slide its child's origin from its own, from its limits; infinite when unlimited.
double travel(const CompiledProblem& problem, const ModelJoint& joint) {
  double total = 0.0;
  for (int k = 0; k < joint.q_count; ++k) {
    const int i = joint.q_index + k;
    const double factor = armature::travel(joint.type, k);
    if (factor == 0.0) continue;
    double lower = problem.lower()[i];
    double upper = problem.upper()[i];
    if (joint.mimic) {
      const bool still = joint.multiplier == 0.0;  // nothing of an endless joint is nothing
      lower = still ? joint.offset : joint.multiplier * lower + joint.offset;
      upper = still ? joint.offset : joint.multiplier * upper + joint.offset;
    }
    total += factor * std::max(std::abs(lower), std::abs(upper));
  }
  return total;
}

bool is_locked(const CompiledProblem& problem, const ModelJoint& joint) {
  if (problem.plain_joints() || joint.mimic) return false;
  for (int k = 0; k < joint.v_count; ++k) {
    if (problem.joint_weight(joint.v_index + k) != 0.0) return false;
  }
  return true;
}

}  // namespace

std::optional<Proof> prove_unreachable(const CompiledProblem& problem, const double* q) {
  for (const CompiledGoal& goal : problem.goals()) {
    if (!goal.required) continue;
    if (const std::optional<Proof> proof = prove_unreachable(problem, goal, q)) return proof;
  }
  return {};
}

std::optional<Proof> prove_unreachable(const CompiledProblem& problem, const CompiledGoal& goal, const double* q) {
  const Model& model = problem.model();
  if (!goal.framed || !goal.frame.position || goal.frame.base != kWorld) return {};
  const int link = goal.frame.link;
  const Vec3& point = goal.frame.point;
  const Vec3& target = goal.frame.target.position;
  const Axes* axes = &goal.frame.position_axes;
  const double slack = goal.tolerance;
  if (goal.frame.orientation && axes->of_target() && !axes->trivial()) return {};
  const bool free_figure = !std::isfinite(travel(problem, model.joint(0))) && !is_locked(problem, model.joint(0));
  if (link < model.subtree_end(0) && free_figure) return {};
  // From the tip to the root: distances between the origins of joints that move, with fixed joints folded in.
  double sum = 0.0;
  double longest = 0.0;
  bool slides = false;
  Vec3 outer = point;  // origin of the joint further out (at first the point), in the frame of link i
  Vec3 anchor = Vec3::Zero();
  for (int i = link; i != kWorld; i = model.parent(i)) {
    const ModelJoint& joint = model.joint(i);
    if (is_locked(problem, joint)) {
      outer = joint_transform(joint.type, q + joint.q_index) * outer;
    } else if (joint.v_count > 0) {
      const double extent = travel(problem, joint);
      slides = slides || extent > 0.0;
      const double length = outer.norm();
      sum += length + extent;
      longest = std::max(longest, length);
      outer = Vec3::Zero();
    }
    outer = joint.origin * outer;
  }
  anchor = outer;  // origin of the innermost moving joint, in the world
  if (!std::isfinite(sum)) return {};
  Vec3 away = target - anchor;
  bool whole = true;
  for (int k = 0; k < 3; ++k) {
    const bool free = axes->free[static_cast<std::size_t>(k)];
    whole = whole && !free && axes->box[k] == 0.0;
    away[k] = free ? 0.0 : std::copysign(std::max(0.0, std::abs(away[k]) - axes->box[k]), away[k]);
  }
  const double distance = away.stableNorm();
  const double rounding = 1e-12 * (sum + distance);
  const double hole = slides ? 0.0 : 2.0 * longest - sum;
  if (distance > sum + slack + rounding) {
    return Proof{ReachBound::beyond, sum, distance};
  }
  if (whole && distance < hole - slack - rounding) return Proof{ReachBound::inside_hole, hole, distance};
  return {};
}

}  // namespace armature::inline v0_2
