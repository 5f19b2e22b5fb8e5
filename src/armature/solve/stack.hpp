// The stacked task of a problem: all its goals' rows under each other, in one unit.
//
// Angle rows are multiplied by `length`, so that every row, the damping of eq 5.24 and every tolerance is a length.
// Rows are weighted by the square root of the goal's weight. Columns of locked joints are zero; columns are scaled by
// mobility. Owns all memory; resized only when the problem's shape changes.
#pragma once

#include "armature/kinematics/state.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"
#include "armature/solve/solver.hpp"

namespace armature {

class Stack {
 public:
  /// Sizes everything for the problem. Cheap and free of allocation when the shape is as before.
  void prepare(const Problem& problem, const CommonOptions& options);

  /// forward(), errors, and (if asked) Jacobian at q. `at_goal` takes the alternative Jacobian for position rows.
  void evaluate(const Problem& problem, const double* q, bool with_jacobian, bool at_goal = false);

  /// Every goal within its tolerance at the last evaluate().
  bool converged() const { return converged_; }

  /// Fills errors, residuals, joints at limits and dexterity of `report` from the last evaluate() at q.
  void finish(const Problem& problem, const double* q, Report& report);

  /// q (+) step, then into the problem's limits. Scales the step down to `max_step` first when that is positive.
  void apply(const Problem& problem, double* q, double* step, double max_step) const;

  /// z of the control term at q: gain_i * (q_i - rest_i), per velocity (or signed square: `printed`). Zero without
  /// gains.
  void control(const Problem& problem, const double* q, bool printed, VecX& z) const;

  void record(Trace* trace, const double* q, const VecX* step, double damping, bool with_jacobian) const;

  State state;
  VecX error;              // stacked, weighted, lengths
  MatX J;                  // rows() x v_size
  double length = 1.0;     // what a radian of an angle row is worth
  double tolerance = 0.0;  // of position errors, metres
  int rows() const { return static_cast<int>(error.size()); }
  int columns() const { return static_cast<int>(J.cols()); }
  const double* lower() const { return lower_; }
  const double* upper() const { return upper_; }

 private:
  Jacobian scratch_;
  VecX raw_;
  std::vector<int> first_row_;
  std::vector<GoalResidual> residuals_;
  const double* lower_ = nullptr;
  const double* upper_ = nullptr;
  double orientation_tolerance_ = 0.0;
  bool converged_ = false;
};

}  // namespace armature
