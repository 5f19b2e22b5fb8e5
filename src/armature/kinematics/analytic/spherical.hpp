// Arms of six joints with three neighbouring axes through one point, wherever in the arm, the other three joints
// turning or sliding: S without parallel or meeting axes, spherical wrists behind slides, three axes in the middle.
//
// With the triple at a, a+1, a+2 and its point c: E_1 ... E_a c = X (E_a+4 ... E_6)^-1 c, and the joints behind the
// triple, seen from the goal (E' = X E X^-1, the axis carried by X), come to the front: E'_a+4 ... E'_6 E_1 ... E_a c =
// X c. That is a position problem of three joints (triple.hpp); the triple then takes the rotation that is left.
#pragma once

#include "armature/kinematics/analytic/answers.hpp"
#include "armature/kinematics/analytic/arm.hpp"

namespace armature::inline v0_2::analytic {

struct SphericalArm {
  Arm arm;         // units
  int first = -1;  // of the three axes
  Vec3 center = Vec3::Zero();
  double defect = 0.0;
};

/// False: no three neighbouring turning axes meet.
bool make_spherical(const Arm& arm, double tolerance, SphericalArm& out);
/// `goal` in units; `start` in units.
void solve(const SphericalArm& arm, const Transform& goal, const double* start, ArmAnswers& out);

/// Both sets of angles with R(k0, a0) R(k1, a1) R(k2, a2) = R; returns how many (one, with `free` set, where axes 0 and
/// 2 fall in line: then a0 is `start0`).
int solve_rotation(const Vec3* k, const Mat3& R, double start0, double angles[2][3], bool& free);

}  // namespace armature::inline v0_2::analytic
