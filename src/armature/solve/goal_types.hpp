// The goal types; see goal.hpp for what a goal is and how to add one.
#pragma once

#include <array>

#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/state.hpp"
#include "armature/model/model.hpp"

namespace armature {

struct GoalCommon {
  double weight = 1.0;     // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;  // of the error's norm, metres (angle goals: radians); 0: the solver's
  int priority = 0;        // 0 first; a higher number never disturbs a lower one by more than its tolerance
};

/// Which of three axes count, and by how much the error along each may differ from zero before it counts.
/// A free axis has no row. A tolerance box [-box, +box] counts only what lies outside it.
struct AxisMask {
  std::array<bool, 3> free{false, false, false};
  Vec3 box = Vec3::Zero();
  bool in_goal_frame = false;  // axes of the target's frame instead of the base's (the world's)

  int rows() const { return 3 - int{free[0]} - int{free[1]} - int{free[2]}; }
  bool trivial() const { return rows() == 3 && box.isZero(0.0); }
};

/// A point of a link at a place.
struct PositionGoal : GoalCommon {
  static constexpr const char* kName = "position";
  int link = 0;
  Vec3 point = Vec3::Zero();   // in the link's frame
  Vec3 target = Vec3::Zero();  // in the base's frame
  int base = kWorld;
  AxisMask axes;
};

/// A link turned a certain way. The error is the rotation vector from the actual to the target rotation, in base axes.
struct OrientationGoal : GoalCommon {
  static constexpr const char* kName = "orientation";
  int link = 0;
  Quat target = Quat::Identity();  // of the link in the base's frame
  int base = kWorld;
  AxisMask axes;
};

/// Both: rows of the position, then of the orientation. `tolerance` is the position's.
struct PoseGoal : GoalCommon {
  static constexpr const char* kName = "pose";
  int link = 0;
  Vec3 point = Vec3::Zero();
  Transform target;  // of the link's frame moved to `point`, in the base's frame
  int base = kWorld;
  AxisMask position_axes;
  AxisMask orientation_axes;
  double orientation_tolerance = 0.0;  // radians; 0: the solver's
};

/// A direction of a link points at a place: look-at.
struct AimGoal : GoalCommon {
  static constexpr const char* kName = "aim";
  int link = 0;
  Vec3 point = Vec3::Zero();       // eye, in the link's frame
  Vec3 direction = Vec3::UnitX();  // unit, in the link's frame
  Vec3 target = Vec3::Zero();      // in the base's frame
  int base = kWorld;
};

/// A point of a link on a line (of the base's frame).
struct PointOnLineGoal : GoalCommon {
  static constexpr const char* kName = "point_on_line";
  int link = 0;
  Vec3 point = Vec3::Zero();
  Vec3 origin = Vec3::Zero();
  Vec3 direction = Vec3::UnitX();  // unit
  int base = kWorld;
};

/// A point of a link on a plane (of the base's frame).
struct PointOnPlaneGoal : GoalCommon {
  static constexpr const char* kName = "point_on_plane";
  int link = 0;
  Vec3 point = Vec3::Zero();
  Vec3 origin = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();  // unit
  int base = kWorld;
};

/// Points of two links a given distance apart.
struct DistanceGoal : GoalCommon {
  static constexpr const char* kName = "distance";
  int link = 0;
  Vec3 point = Vec3::Zero();
  int other = kWorld;
  Vec3 other_point = Vec3::Zero();
  double distance = 0.0;  // >= 0
};

/// Desired coordinates with a gain per velocity; gain 0 leaves a joint alone. Rows: velocities, angle or length each.
struct PostureGoal : GoalCommon {
  static constexpr const char* kName = "posture";
  VecX desired;  // a pose vector
  VecX gain;     // per velocity; empty: 1 for all
};

/// The plane of a limb: `middle` (elbow) lies on the pole's side of the line from `start` (shoulder) to `end` (wrist).
struct PoleGoal : GoalCommon {
  static constexpr const char* kName = "pole";
  int start = 0;
  int middle = 0;
  int end = 0;
  Vec3 pole = Vec3::Zero();  // in the base's frame
  int base = kWorld;
};

}  // namespace armature
