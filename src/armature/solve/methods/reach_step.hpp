// One damped Gauss-Newton step of a GoalSystem with limits inside it, and what a step needs to know: which columns may
// move, how far, and what the pose is drawn to where the goals leave freedom.
//
// With J the rows' slopes, W the columns' mobilities, D the rows' dampings and z the pull of the preferences:
//   minimise  (x - z)' W^-1 (x - z) + (J x - e)' D^-1 (J x - e)   =>   x = z + W J' (J W J' + D)^-1 (e - J z)
// D = (0.1 E + 1e-12) I after Chan & Lawrence 1988 with E the error's energy; a row of lower priority takes the energy
// of all priorities up to its own, so that it yields as soon as they conflict (E of the higher ones falls to zero).
// A coordinate at a bound that e pushes against loses its column; a ball at its cone loses the outward direction.
#pragma once

#include <vector>

#include "armature/solve/goal_system.hpp"
#include "armature/solve/methods/reach_settings.hpp"

namespace armature::inline v0_2 {

class ReachStep {
 public:
  /// `seed`: where a quality of nearest draws to. Allocates only when the system's shape changed.
  void prepare(const ReachSettings& options, const GoalSystem& system, const VecX& seed);

  struct Settings {
    double damping = 0.1;          // times the energy
    bool resolve = false;          // solve again with the columns fixed that would cross a bound
    double step_size = 1.0;        // fraction that is taken
    double max_step = 0.0;         // radians; 0: none
    double pull = 1.0;             // of the preferences; 0 leaves them out
    int held = 0;                  // this many levels only keep the errors `hold`
    const double* hold = nullptr;  // one per row
    int levels = 1 << 20;          // levels from this one on do not count
  };
  /// Forgets which coordinates the last step held at their bounds: call before a descent from elsewhere.
  void reset();
  /// The step from q, where `system` was evaluated; differentiates it. False when there is no finite step.
  bool compute(GoalSystem& system, const double* q, const Settings& settings);
  /// The step for the errors of the last evaluate() with the slopes and factors of the last compute(): a chord step,
  /// cheap, and good close to the goals. Preferences have no part in it. False when there is no finite step.
  bool repeat(GoalSystem& system);
  /// q (+) the step, inside limits. `wrap`: full turns are taken off where that gets inside.
  void apply(const GoalSystem& system, double* q, bool wrap) const;

  /// Largest part of the last pulled step that came from the preferences, internal units. Call before anything else is
  /// computed.
  double null_motion(GoalSystem& system);
  double largest() const { return largest_; }
  bool has_preference() const { return has_preference_; }
  /// Weighted squared distance from what the preferences want.
  double preference_cost(const GoalSystem& system, const double* q);
  /// Moves the coordinates that no goal depends on to what the preferences want. False when they were there already.
  bool settle_others(const GoalSystem& system, double* q) const;

  const std::vector<double>& step() const { return x_; }
  double damping() const { return d_.empty() ? 0.0 : d_[0]; }
  double lower(int column) const { return lower_[static_cast<std::size_t>(column)]; }
  double upper(int column) const { return upper_[static_cast<std::size_t>(column)]; }
  bool movable(int column) const { return mobility_[static_cast<std::size_t>(column)] > 0.0; }

  /// One direction in which a ball at its cone cannot turn.
  struct Wall {
    int column;    // of the ball's first velocity
    Vec3 outward;  // unit, orthogonal to the ball's other walls
    bool active;
    int rows;  // into wall_rows_: the slope of every row along `outward`, taken from the columns while active
  };
  /// The walls that the balls are at in pose q.
  const std::vector<Wall>& walls_at(const GoalSystem& system, const double* q) {
    find_walls(system, q);
    return walls_;
  }

 private:
  bool measure();
  /// A ball with a cone, and what tells quickly that it is well inside.
  struct Ball {
    int column, coordinate;
    ConeLimit cone;
    double swing;                             // cos^2 of half the largest swing; negative: any
    double sin_low, cos_low, sin_up, cos_up;  // of half the twist's bounds
    bool inside(const double* r, double margin) const;
  };
  void find_pull(const GoalSystem& system, const double* q);
  void find_walls(const GoalSystem& system, const double* q);
  void block_by_gradient(GoalSystem& system, const double* q);
  bool block_by_step(GoalSystem& system, const double* q);
  void close(GoalSystem& system, Wall& wall);
  bool solve(GoalSystem& system, bool pulled);

  Model model_;
  std::uint64_t layout_ = 0;  // of the system that the balls are of
  std::vector<Ball> balls_;
  bool has_preference_ = false;
  bool fresh_ = true;
  double largest_ = 0.0;
  std::vector<Preference> pulls_;
  VecX centre_, centre_gain_, seed_;
  std::vector<double> lower_, upper_;  // per column, the coordinate's own unit
  std::vector<double> mobility_;       // per column: what the caller gave, 0 for locked ones
  double stiffest_ = 0.0, softest_ = 0.0;
  std::vector<double> softness_;   // 1 / (stiffness of the preferences and the joint's own)
  std::vector<double> stiffness_;  // gain of the preferences per column
  std::vector<char> fixed_;        // per column: held at its bound since the last step
  std::vector<Wall> walls_;
  std::vector<double> wall_rows_;
  std::vector<double> pull_, weight_, w_, g_, z_, x_;
  std::vector<double> d_, b_, t_;  // per row
};

}  // namespace armature::inline v0_2
