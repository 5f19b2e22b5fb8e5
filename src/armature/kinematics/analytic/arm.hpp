// A serial arm as axes and points at its zero pose: what analysis looks at. Lengths are divided by `length`, points are
// measured from a point of the first axis, so that neither the unit nor the place of the base matters.
#pragma once

#include "armature/kinematics/chain.hpp"

namespace armature::inline v0_2::analytic {

inline constexpr int kMaxArmJoints = 8;

struct Arm {
  int count = 0;
  bool slides[kMaxArmJoints] = {};
  Vec3 axis[kMaxArmJoints], point[kMaxArmJoints];  // units; a slide's point does not matter
  Transform tip;                                   // units
  Vec3 origin = Vec3::Zero();                      // of these coordinates in the chain's base, metres
  double length = 1.0;                             // metres per unit

  /// A goal of the tip in the chain's base, metres, in this arm's coordinates.
  Transform to_units(const Transform& goal) const { return {(goal.position - origin) / length, goal.rotation}; }
};

/// `count` of `joints` at most kMaxArmJoints; values of the chain's joints are zero at the arm's zero pose.
Arm make_arm(const std::vector<ChainJoint>& joints, const Transform& tip);
Arm make_arm(const ModelChain& chain);

/// The joint's motion by `value` (radians or units) and the tip's pose, in units.
Transform joint_motion(const Arm& arm, int joint, double value);
Transform forward(const Arm& arm, const double* values);

/// Joints in the other order with axes negated: its motion is the inverse of the arm's, joint by joint.
Arm mirrored(const Arm& arm);
/// Without joint `joint`, which stands at `value`.
Arm with_locked(const Arm& arm, int joint, double value);

// How far axes are from a relation, in radians or units.
double parallel_gap(const Arm& arm, int i, int j);
double meeting_gap(const Arm& arm, int i, int j);
/// The point nearest to all `count` axes from `first` on; `gap` becomes its largest distance from one.
Vec3 meeting_point(const Arm& arm, int first, int count, double& gap);

/// A rotation with z along the unit vector `z`, the same for the same z.
Mat3 frame_about(const Vec3& z);

/// Row-major 3 x 3 and, for the longer form, the translation after it: how kernels keep matrices.
void store(const Mat3& m, double* out);
void store(const Transform& x, double* out);
void store(const Vec3& v, double* out);

}  // namespace armature::inline v0_2::analytic
