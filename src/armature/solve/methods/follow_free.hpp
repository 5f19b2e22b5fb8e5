// One frame of the follow method among things that must not be touched: down the same energy, with the distances to
// what is near as constraints of every step,
//
//   min 1/2 x' H x + g' x   with   G x >= -(d - margin - kept)   and the box,
//
// H the energy's slopes squared and the body's stiffness, a row of G per near pair (docs/bodies.md, "Steps"). A step is
// taken only as far as the way is proved free, so what is shown never touches; what already touches is pushed out.
#pragma once

#include <vector>

#include "armature/solve/free_answers.hpp"
#include "armature/solve/methods/follow_box.hpp"
#include "armature/solve/methods/follow_energy.hpp"

namespace armature::inline v0_2 {

class FollowFree {
 public:
  /// Allocates when the problem's shape, its bodies or its obstacles change.
  void prepare(const CompiledProblem& compiled, const FollowEnergy& energy);
  /// Whether the problem avoids collisions.
  bool on() const { return on_; }

  /// Whether q may be shown after `from`: it is free, and so is the way (unless `from` itself touches).
  bool allows(const VecX& from, const VecX& q);
  /// From q down the energy inside the box, in steps of `longest` at most.
  void descend(FollowEnergy& energy, const FollowBox& box, double longest, VecX& q, int& iterations);
  bool is_free(const VecX& q) { return free_.is_free(q.data()); }
  int describe(const double* q, Report& report) { return free_.describe(q, report); }

 private:
  bool step(FollowEnergy& energy, const FollowBox& box, const double* q, double home, double longest);
  void find_rows(const FollowEnergy& energy, const double* q, double longest);
  void press(int free_columns);
  double largest() const;
  bool advance(FollowEnergy& energy, const FollowBox& box, bool touches, double before, double (*value)(FollowEnergy&),
               const VecX& from, VecX& q);

  FreeAnswers free_;
  bool on_ = false;
  double kept_ = 0.0;  // metres beyond the margin that steps keep, so that ways between them are proved soon
  double seen_ = 0.0;  // metres: how near is near
  std::vector<double> gap_, left_, force_;     // per row: metres that are left, now and after the step without forces
  std::vector<double> G_;                      // row by row, per column
  std::vector<double> H_, A_, g_, x_, y_, S_;  // x_ per column; A_ and y_ over the columns that are free
  std::vector<int> columns_;                   // that are free
  std::vector<char> fixed_;
  std::vector<double> scaled_, squares_;
  VecX slope_, trial_, before_, from_;
};

}  // namespace armature::inline v0_2
