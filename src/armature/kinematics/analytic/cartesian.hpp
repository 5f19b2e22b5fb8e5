// Arms of six joints of which three slide, in any order: turning joints alone decide the rotation, and with them in
// place the slides solve three linear equations. Gantries with a wrist whose axes do not meet, machine tools.
#pragma once

#include "armature/kinematics/analytic/answers.hpp"
#include "armature/kinematics/analytic/arm.hpp"

namespace armature::inline v0_2::analytic {

struct CartesianArm {
  Arm arm;  // units
  int turns[3] = {-1, -1, -1}, slides[3] = {-1, -1, -1};
};

/// False: not three slides and three turning joints, two neighbouring turns are parallel, or the slides never span
/// space.
bool make_cartesian(const Arm& arm, CartesianArm& out);
/// `goal` in units; `start` in units.
void solve(const CartesianArm& arm, const Transform& goal, const double* start, ArmAnswers& out);

}  // namespace armature::inline v0_2::analytic
