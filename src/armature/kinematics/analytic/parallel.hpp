// Arms of six joints with three neighbouring ones that move in one plane, wherever in the arm: three parallel axes, or
// one or two of them and slides across them. The other three turn, whatever their axes are; the lead may slide.
//
// With the lead joint 1, the ones of the plane 2, 3, 4 (across h) and 5, 6 behind them, T = E1^-1 X E6^-1 E5^-1 is a
// motion of the plane across h: it keeps h and heights along h. So
//   A.  k6 . X^T R1 h = k6 . R5^T h
//   B.  (R1 h) . (X o6 - o1) + (R5^T h) . (o5 - o6) = h . (o5 - o1)
// Both are linear in (cos, sin) of joint 5; that these lie on the circle is a polynomial of degree 2 in cos and sin of
// joint 1: at most four pairs, two bends of the plane's joints each. These at the very front: joint 6, seen from the
// goal, leads. Where the lead slides, joint 5 follows from A, joint 6 from it, and the slide is what B leaves.
#pragma once

#include "armature/kinematics/analytic/answers.hpp"

namespace armature::inline v0_2::analytic {

struct ParallelTriple {
  Arm arm;   // units
  Arm from;  // the arm, or the mirrored one, in which the axes stand at `first` = 0 or 1
  bool mirrored = false;
  int first = -1;
  Vec3 h = Vec3::UnitZ();
  double sign[3] = {1.0, 1.0, 1.0};  // of the turning axes against h
  double defect = 0.0;
};

bool make_parallel_triple(const Arm& arm, double tolerance, ParallelTriple& out);
/// `goal` and `start` in units.
void solve(const ParallelTriple& arm, const Transform& goal, const double* start, ArmAnswers& out);

}  // namespace armature::inline v0_2::analytic
