// Closed forms for limbs: two links in the plane (figs 5.14, 5.15), shoulder-elbow-wrist in space, three axes of a
// wrist. Pure geometry, no model; two_link.hpp applies it.
#pragma once

#include "armature/geom/rotation.hpp"
#include "armature/geom/transform.hpp"
#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

struct TwoLinkAngles {
  double theta1 = 0.0;  // of the first link, from the x axis
  double theta2 = 0.0;  // of the second, from the first one's direction
  bool reached = true;  // |l1 - l2| <= distance <= l1 + l2; otherwise the nearest pose (stretched or folded)
};

/// `elbow` is the sign of theta2: +1 or -1. Where the textbook's figure 5.15 uses acos, half angles keep full precision
/// at stretched and folded poses, and atan2 keeps the sign of y.
TwoLinkAngles two_link_angles(double l1, double l2, double x, double y, double elbow);

/// Rotations, in world axes, that carry the wrist to its target: first `elbow` about the elbow's place, then `shoulder`
/// about the shoulder's (both applied to everything further out).
struct LimbTurns {
  Quat shoulder = Quat::Identity();
  Quat elbow = Quat::Identity();
  bool reached = true;
};

/// For a limb of three points. The elbow bends about `axis` (unit, across the limb's plane). Without a pole the limb's
/// plane turns as little as possible; with one, the elbow comes to lie on the side of that point.
LimbTurns turn_limb(const Vec3& shoulder, const Vec3& elbow, const Vec3& wrist, const Vec3& axis, const Vec3& target,
                    const Vec3* pole = nullptr);

/// Angle about the unit `axis` that turns `from` to `to` (their parts across the axis), in (-pi, pi].
double angle_about(const Vec3& axis, const Vec3& from, const Vec3& to);

/// The shortest rotation from one direction to another; neither need be of unit length.
Quat rotation_between(const Vec3& from, const Vec3& to);

/// Angles with Rot(a1, t[0]) Rot(a2, t[1]) Rot(a3, t[2]) = R: two solutions (Paden and Kahan's subproblems), or the
/// nearest when the axes cannot. Returns false then.
bool three_axis_angles(const Vec3& a1, const Vec3& a2, const Vec3& a3, const Mat3& R, double first[3],
                       double second[3]);

}  // namespace armature::inline v0_2
