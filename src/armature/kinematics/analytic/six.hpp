// All answers of an arm of six revolute joints: six_data.hpp says what an arm is to the kernels.
#pragma once

#include "armature/kinematics/analytic/arm.hpp"
#include "armature/kinematics/analytic/six_data.hpp"

namespace armature::inline v0_2::analytic {

inline constexpr double kExact = 1e-9;    // a defect below this is rounding
inline constexpr double kSnapped = 1e-4;  // up to here an arm is solved as the arm of its class, then made true

/// The arm of six revolute joints with its class. G needs a search for its best eliminants, `thorough` or not: some ten
/// milliseconds; `closed_only` leaves it out (kind none).
SixArm make_six(const Arm& arm, bool closed_only = false);

/// Each fills its part for the arm as it stands (the caller tries the mirrored one, too); false: not of this class.
/// `defect` becomes how far the geometry is from the class.
bool make_closed(const Arm& arm, double tolerance, ClosedArm& out, SixClass& kind, double& defect);
bool make_pair_arm(const Arm& arm, double tolerance, PairArm& out, double& defect);
/// One eliminant: `variant` below general_variants(), twice that with the outer joints in the other order.
int general_variants();
void make_general(const Arm& arm, int variant, GeneralArm& out);
/// Finds the best two eliminants by trial; false when none is sound (then the arm has a structure that hides).
bool choose_eliminants(const Arm& arm, SixArm& out);

using SixSolve = void (*)(const SixArm& arm, const SixGoal& goal, SixAnswers& out);
SixSolve six_solver(Isa isa);
inline void solve(const SixArm& arm, const SixGoal& goal, SixAnswers& out) { six_solver(arm.isa)(arm, goal, out); }

/// The goal in metres, in the base of the arm's coordinates (Arm::origin taken off).
void set_goal(const Arm& arm, const Transform& X_BT, SixGoal& goal);

}  // namespace armature::inline v0_2::analytic
