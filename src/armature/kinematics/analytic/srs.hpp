// Seven turning joints with a spherical shoulder (1, 2, 3) and a spherical wrist (5, 6, 7): the elbow's angle follows
// from the goal's distance, and what is left is the arm angle psi, the turn of the bent arm about the line from
// shoulder to wrist. Each of the eight branches (elbow, shoulder, wrist: two each) is a curve over psi.
//
// R123(psi) = R(u, psi) R0, and every limit of every joint but the elbow is one equation A cos psi + B sin psi = C. So
// the values of psi that limits allow are intervals between such roots: exact, no scan.
#pragma once

#include "armature/kinematics/analytic/answers.hpp"

namespace armature::inline v0_2::analytic {

struct SrsArm {
  Arm arm;
  Vec3 shoulder = Vec3::Zero(), wrist = Vec3::Zero();
  double a4 = 0.0, b4 = 0.0, square = 0.0;  // joint 4: a4 cos + b4 sin = (distance^2 - square) / 2
  double defect = 0.0;
};

inline constexpr int kSrsBranches = 8;  // bit 0: shoulder, bit 1: wrist, bit 2: elbow
inline constexpr int kMaxIntervals = 24;

struct ArmAngles {
  int count = 0;
  double low[kMaxIntervals], high[kMaxIntervals];  // ascending, within [-pi, pi]
};

/// What one goal leaves of the arm; `elbows` is 0 when the wrist's center cannot be reached.
struct SrsPose {
  int elbows = 0;
  double elbow[2] = {};
  Mat3 shoulder[2];  // R123 at psi = 0
  Vec3 line = Vec3::UnitZ();
  Mat3 rotation;  // of the whole motion
  bool clear_margin = false;
};

bool make_srs(const Arm& arm, double tolerance, SrsArm& out);
/// `goal` in units.
SrsPose place(const SrsArm& arm, const Transform& goal);
/// Values of one branch at psi; false when the branch does not exist there.
bool values_at(const SrsArm& arm, const SrsPose& pose, int branch, double psi, double* values);
/// Where psi keeps all joints inside limits, full turns of a joint taken as the same.
void free_angles(const SrsArm& arm, const SrsPose& pose, int branch, const double* lower, const double* upper,
                 ArmAngles& out);
/// psi that a pose has on the branch nearest to it.
double arm_angle(const SrsArm& arm, const SrsPose& pose, const double* values);

}  // namespace armature::inline v0_2::analytic
