// A problem's goals as one sparse system over the joints that can move them: errors, slopes and tolerances at a pose.
//
// Rows are ordered by priority and scaled to one unit: lengths are divided by `length`, angles are radians, and each
// row is multiplied by the root of its goal's weight. Columns are velocities in the same unit (slides: times `length`).
// Preferences (postures without tolerance) have no rows; see Preference in methods/reach_general.hpp.
// Allocates only when the problem's shape changes. The serial case has a kernel of its own (methods/reach_chain).
#pragma once

#include <cstdint>
#include <vector>

#include "armature/kinematics/branches.hpp"
#include "armature/solve/compiled_problem.hpp"
#include "armature/solve/dual_system.hpp"

namespace armature::inline v0_2 {

class GoalSystem {
 public:
  /// A velocity that some goal depends on. Balls (the three velocities of a quaternion) stand together.
  struct Column {
    int velocity;
    int coordinate;    // of the pose vector; a ball's: the quaternion's first number
    double unit;       // radians or metres per internal unit
    signed char ball;  // -1: a plain coordinate; 0, 1, 2: which velocity of the quaternion
    bool turns;        // a full turn gives the same pose
    int joint;         // link index of the joint it belongs to (a ball's cone is there)
  };
  struct Level {
    int begin, end;  // rows
    int priority;
    double energy = 0.0;   // half the sum of squared errors
    bool reached = false;  // every goal of this priority
  };

  /// The compiled problem must outlive the solve.
  void prepare(const CompiledProblem& problem);
  /// Frames, errors and residuals at q (the model's q_size numbers).
  void evaluate(const double* q);
  /// Columns of `dual` at the last evaluate(). `at_target` takes the levers of position rows to the target (alternative
  /// Jacobian).
  void differentiate(bool at_target = false);

  int rows() const { return dual.rows(); }
  /// Changes whenever the columns do.
  std::uint64_t layout() const { return layout_; }
  int columns() const { return static_cast<int>(columns_.size()); }
  const std::vector<Column>& column_list() const { return columns_; }
  /// Column of a velocity of the model, -1 when no goal depends on it.
  int column_of(int velocity) const { return column_of_[static_cast<std::size_t>(velocity)]; }
  const std::vector<Level>& levels() const { return levels_; }
  bool reached() const { return reached_; }
  double energy() const { return energy_; }
  /// Per goal of the problem; those without rows count as reached.
  const std::vector<GoalResidual>& residuals() const { return residuals_; }
  /// Exact residuals of every goal, preferences included, at the last evaluate().
  void measure(CompiledProblem& problem, std::vector<GoalReport>& out);
  const CompiledProblem& problem() const { return *problem_; }
  /// Links whose frames evaluate() computes, parents first.
  const std::vector<int>& links() const { return branches_.links(); }
  /// First row of a goal of the problem, -1 when it has none.
  int first_row(int goal) const { return first_row_[static_cast<std::size_t>(goal)]; }

  DualSystem dual;
  std::vector<double> error;     // dual.stride() numbers
  double length = 1.0;           // metres per internal unit
  bool exact_rotations = false;  // errors of rotations are rotation vectors; false: their chords, which are cheaper
  State state;                   // of the last evaluate(): links() only

 private:
  struct PathEntry {
    int motion;
    int column;
    double scale;
  };
  struct Task {
    int goal;
    bool plain;  // a frame in the world without free axes or boxes: by far the commonest, computed without wrenches
    int first_row, rows;
    int level;
    double length_scale, angle_scale;  // of its rows: root of the weight, lengths divided by `length`
    double tolerance, turn_tolerance;  // squared, of what evaluate() sums up
    int paths;
    std::array<int, kMaxGoalLinks + 1> path;  // into path_: one stretch per link of the goal
    std::array<int, kMaxGoalLinks> link;
  };

  bool same_shape();
  void lay_out();
  void write_columns(const Task& task, const GoalRows& rows);

  const CompiledProblem* problem_ = nullptr;
  Model model_;
  std::uint64_t layout_ = 0;
  std::vector<int> shape_, shape_now_;
  Branches branches_;
  std::vector<int> first_row_;  // per goal
  std::vector<Column> columns_;
  std::vector<int> column_of_;
  std::vector<Level> levels_;
  std::vector<Task> tasks_;
  std::vector<PathEntry> path_;
  std::vector<GoalRows> rows_;
  std::vector<GoalResidual> residuals_;
  std::vector<double> posture_error_;
  MatX slopes_;  // of a goal of the whole pose
  bool reached_ = false;
  double energy_ = 0.0;
};

}  // namespace armature::inline v0_2
