// Three joints bring a point to a place: every answer, for turning and sliding joints in any order. The position part
// of arms with a spherical wrist, and the whole of arms with three joints.
#pragma once

#include "armature/geom/transform.hpp"

namespace armature::inline v0_2::analytic {

struct Triple {
  bool slides[3] = {};
  Vec3 axis[3], point[3];
};

struct TripleAnswers {
  int count = 0;
  double value[8][3];
  bool complete = true;      // false: the equations vanish or nearly do, so that answers may lack
  unsigned free_joints = 0;  // bit i: joint i could have any value at some answer
};

/// All values with E1 E2 E3 `from` = `to`; at most four, units of order one. `start`: for joints that are free.
void solve_triple(const Triple& triple, const Vec3& from, const Vec3& to, const double* start, TripleAnswers& out);

/// Values of a turn with a cos + b sin = c; returns how many (a double one once).
int solve_turn(double a, double b, double c, double slack, double* angles);

}  // namespace armature::inline v0_2::analytic
