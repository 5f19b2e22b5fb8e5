// The elastic energy whose local minimum the follow method stays in.
//
//   F(q) = sum over priorities k of  c_k d_k (sqrt(1 + E_k / d_k^2) - 1)   +   1/2 |q (-) home|^2_M
//
// E_k is the sum of the squared errors of priority k's goals (lengths over size/4, angles in radians), so that within
// d_k of their goals they are springs, and farther away pull with the bounded force c_k. With a small d_k that is an
// exact penalty: as long as c_k is stronger than what pulls the other way the goals of a priority are met exactly, and
// a lower priority, whose force is a hundredth, cannot take them away. The last priority is softer: near a singular
// pose its goals rather wait than whirl the joints about. M weighs each joint by the mass that it moves; near a limit
// that is not where home is it is stiffer still, so that joints with room left move first.
//
// The only file pair of the method that knows GoalSystem's rows; the rest sees columns, gradient and dual system.
#pragma once

#include <vector>

#include "armature/solve/goal_system.hpp"
#include "armature/solve/method_options.hpp"
#include "armature/solve/methods/follow_curvature.hpp"

namespace armature::inline v0_2 {

class FollowEnergy {
 public:
  static constexpr double kAvoidLimits = 20.0;
  static constexpr double kWidth = 3e-5;  // d of all priorities but the last, of size/4

  /// A goal that has rows.
  struct Item {
    const CompiledGoal* goal;
    int first_row, rows, length_rows;
    int level;
    bool plain;  // a frame in the world, all of it: rotations are given as chords
  };

  /// Lays out the problem, which must outlive the solve. True when its shape is another one than before.
  bool prepare(const CompiledProblem& problem);
  const std::vector<Item>& items() const { return items_; }
  /// Where the pull goes, and how heavy each velocity of the model is.
  void set_home(const VecX& home, const VecX& metric);

  /// F at q.
  double evaluate(const double* q);
  /// Slopes, stiffnesses of rows, gradient and the body's stiffness, at the q of the last evaluate().
  void differentiate(const double* q);
  /// Adds what the curvature and the balls' home term have beyond the diagonal `stiffness`: out += (A - P) x.
  void add_rest(const double* x, double* out) const;

  GoalSystem system;
  FollowCurvature curvature;
  std::vector<double> row_stiffness;   // s per row, D = 1 / s
  std::vector<double> gradient;        // per column
  std::vector<double> metric;          // M per column, internal units
  std::vector<double> offset;          // M^-1 times the gradient of the pull home
  std::vector<double> stiffness;       // diagonal of the preconditioner: M and what curvature adds to it
  std::vector<double> margin;          // stiffness that nearness to a limit adds, at the last differentiate()
  double avoid_limits = kAvoidLimits;  // how much stiffer a joint is near a limit
  double pull = 1.0;                   // of home; a glide has more
  double last_force = 1.0;             // factor of the last priority's force; a glide lets go of it
  double softness = 0.05;              // d of the last priority

  int columns() const { return system.columns(); }
  /// Squared error of the goals of one priority at the last evaluate().
  double level_square(int level) const { return square_[static_cast<std::size_t>(level)]; }
  double force_of(int level) const;
  double width_of(int level) const;
  double goals_energy() const { return goals_; }
  double home_energy() const { return home_energy_; }

 private:
  double pull_home(const double* q, bool slopes);

  std::vector<Item> items_;
  std::vector<double> square_;      // per level
  std::vector<double> home_;        // a pose vector
  std::vector<double> low_, high_;  // per column: where the pull away from a limit begins
  struct Block {                    // a ball's part of the Hessian beyond its diagonal
    int column;
    Mat3 rest;
  };
  std::vector<Block> blocks_;
  double goals_ = 0.0;
  double home_energy_ = 0.0;
};

}  // namespace armature::inline v0_2
