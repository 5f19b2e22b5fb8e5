// The rows of a problem as methods of the textbook see them: one dense Jacobian over the joints that may move, and
// steps inside limits. A view of GoalSystem, which interprets the goals and computes everything.
//
// Rows: angle rows are multiplied by `length`, so that every row, the damping of eq 5.24 and every tolerance is a
// length; rows are weighted by the square root of their goal's weight. Goals of weight 0 and preferences have none.
// Columns: only velocities that can move a goal or that a preference draws, are not locked and have a joint weight;
// `active` says which. A, the system that methods solve, is J with column c times scale[c]: joint weight, and for a
// sliding joint `length`, so that a unit step is about as far for either kind and answers do not depend on the unit of
// length.
// Owns all memory; allocates only when the problem's shape changes.
#pragma once

#include "armature/kinematics/loop_projection.hpp"
#include "armature/kinematics/measures.hpp"
#include "armature/solve/goal_system.hpp"

namespace armature::inline v0_2 {

class Stack {
 public:
  Stack() { system_.exact_rotations = true; }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  /// Sizes everything; the problem must outlive the solve.
  void prepare(CompiledProblem& problem);

  /// Frames and errors at q.
  void evaluate(const double* q);
  /// J (and A) at the last evaluate(). `at_target` takes the levers of position rows to the target (alternative
  /// Jacobian).
  void differentiate(bool at_target = false);

  /// Every goal within its tolerance at the last evaluate().
  bool converged() const { return system_.reached(); }
  /// Of all rows. Where loops tie goals of several priorities a number in which the errors of one priority outweigh
  /// those of all below it, and count for nothing within the tolerance.
  double error_norm() const { return error_norm(levels_); }
  /// The same of the first priorities alone.
  double error_norm(int levels) const;

  /// Closes the loops that tie the goals at q; true where there are none. What apply() leads to is always closed.
  bool close(double* q);
  bool has_loops() const { return loops_on_; }
  /// The same from a pose that may be far from closed: another assembled pose where need be, joints that may not move
  /// left as they are. Or the sentence why there is none.
  Status assemble(VecX& q);
  /// u becomes its part that keeps the loops closed, at the last differentiate().
  void keep_closed(VecX& u) {
    if (loops_on_) loops_.project(u);
  }
  /// Independent motions of the mechanism at the last differentiate(); A in their coordinates, a column each; and the
  /// motion u (columns() numbers) that has coordinates z. With loops only.
  int motions() const { return loops_.motions(); }
  void reduce(MatX& reduced) const { loops_.reduce(whole_, reduced); }
  void expand(const VecX& z, VecX& u) const { loops_.expand(z, u); }
  /// Where loops tie the goals: how many priorities these have, and to which a row belongs; 0 is the first.
  int levels() const { return levels_; }
  int level_of(int row) const { return levels_ > 1 ? level_[static_cast<std::size_t>(row)] : 0; }

  /// Zeroes the columns of A whose coordinate is at a bound that A' error pushes against. Returns how many.
  int drop_blocked(const double* q);

  /// With loops, the same for those that the step u would take beyond a bound they are at. Returns how many; A has
  /// changed where there are some.
  int drop_outward(const double* q, const VecX& u);

  /// q anywhere inside limits, or by that share of the way there; loops not closed; only what may move.
  void scatter(Rng& rng, double share, double* q);
  /// q (+) scale .* u, then into limits. u is scaled down first so that no joint changes by more than `max_step`
  /// (radians; slides: that times `length`) when that is positive. Leaves the step taken in `step`.
  void apply(double* q, const VecX& u, double max_step);
  /// Leaves that step in `step` and moves nothing; u may be `step`. False where it means nothing.
  bool ask(const VecX& u, double max_step);
  /// q into limits, only the coordinates of active columns.
  void clamp(double* q) const;

  /// z of the control term in the unknowns of A: gain_i (q_i - rest_i) / scale_i, or its square as printed in eq 5.27.
  /// Every preference of the problem counts. False when there are no gains at all.
  bool control(const double* q, bool printed, VecX& z) const;

  /// How well the goals can be moved at the last differentiate(): by a mechanism, how its own motions move them.
  void measure(Measures& out);
  /// Fills errors, joints at limits, blocking joints and measures from the last evaluate() and differentiate() at q.
  void finish(const double* q, Report& report);
  /// Appends one iteration from pose q, where the rows were `rows_error`; J and singular values when `with_jacobian`.
  void record(Trace& trace, const double* q, const VecX& rows_error, double damping, bool with_jacobian) const;
  void record(Trace& trace, const double* q, double damping, bool with_jacobian) const {
    record(trace, q, error, damping, with_jacobian);
  }

  State& state = system_.state;
  VecX error;               // rows
  MatX J;                   // rows x columns
  MatX A;                   // J with scaled columns, dropped ones zero
  VecX scale;               // per column
  VecX step;                // per column: what the last apply() asked for, in the velocities' own units
  std::vector<int> active;  // velocity of each column, ascending
  double length = 1.0;      // what a radian of an angle row is worth: a quarter of the model's size
  double tolerance = 0.0;   // of position errors

  int rows() const { return static_cast<int>(error.size()); }
  int columns() const { return static_cast<int>(active.size()); }
  CompiledProblem& problem() const { return *problem_; }
  const Model& model() const { return problem_->model(); }
  const double* lower() const { return problem_->lower(); }
  const double* upper() const { return problem_->upper(); }
  /// Links whose frames evaluate() computes, parents first.
  const std::vector<int>& links() const { return system_.links(); }
  int column_of(int velocity) const { return column_of_[static_cast<std::size_t>(velocity)]; }
  /// Coordinate that column c moves; -1 for a quaternion's.
  int coordinate_of(int column) const { return coordinate_of_[static_cast<std::size_t>(column)]; }
  /// What a radian of column c is worth: 1, or `length` for a sliding joint.
  double unit_of(int column) const { return unit_[column]; }
  /// First row of goal g, -1 when it has none.
  int first_row(int goal) const { return system_.first_row(goal); }
  /// Rows of one goal and kind (lengths, then angles): what selectively damped least squares calls an effector.
  struct Block {
    int first = 0;
    int count = 0;
  };
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  void find_columns();
  void find_blocks();
  void find_levels();
  void move(double* q) const;          // by `step`, into limits
  void project_rest(const double* q);  // A over the columns that are not blocked

  GoalSystem system_;
  CompiledProblem* problem_ = nullptr;
  std::uint64_t layout_ = 0;        // of the system that the columns are of
  bool plain_ = false;              // they are all that it has
  std::vector<int> column_of_;      // per velocity
  std::vector<int> system_column_;  // per column: of system_, -1 where no goal depends on it
  std::vector<int> coordinate_of_;
  VecX unit_;
  VecX push_;  // per velocity
  std::vector<Block> blocks_;
  std::vector<int> level_;  // per row, where there are several
  int levels_ = 1;
  // Loops: A is A P then, P the projector onto motions that keep them closed.
  bool loops_on_ = false;
  LoopProjection loops_;
  Model loops_model_;
  std::vector<char> blocked_;
  VecX before_;
  MatX whole_;  // A before it was projected
  MatX reduced_;
};

}  // namespace armature::inline v0_2
