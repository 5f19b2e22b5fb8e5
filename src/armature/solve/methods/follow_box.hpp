// Where the joints may be at the end of this solve: limits, cones, and no farther from the last pose than the speed
// allows. One box for all of them is what keeps a gesture from jumping, whatever happens to the energy's minimum.
#pragma once

#include <vector>

#include "armature/solve/goal_system.hpp"

namespace armature::inline v0_2 {

class FollowBox {
 public:
  /// One direction in which a ball joint may turn by no more than `gap`: out of its cone, or away from the last pose.
  struct Wall {
    int column;                  // of the ball's first velocity
    Vec3 outward;                // unit
    double gap;                  // radians, >= 0
    bool cone;                   // a limit of the joint, rather than this solve's speed
    double reach = 0.0;          // speed: how far from the last pose,
    Vec3 turned = Vec3::Zero();  // and how far it is already; `outward` may be turned as the step asks
    Mat3 bend = Mat3::Zero();    // how the wall curves: second derivative of what is bounded, per radian
    bool closed = false;
    double scale = 0.0;  // of a closed one: outward' W outward
  };

  /// Limits of the problem; allocates when the layout changed.
  void prepare(const CompiledProblem& problem, const GoalSystem& system);
  /// The box around `from` in which no joint moves by more than reach[v] (per velocity, model's units; balls by the
  /// least of their three).
  void set(const GoalSystem& system, const VecX& from, const VecX& reach);

  double lower(int column) const { return lower_[static_cast<std::size_t>(column)]; }
  double upper(int column) const { return upper_[static_cast<std::size_t>(column)]; }
  bool movable(int column) const { return movable_[static_cast<std::size_t>(column)] != 0; }
  /// Walls of the balls within reach of a step from q; valid until the next call.
  std::vector<Wall>& walls_at(const double* q);
  /// out = q (+) x inside the box. q and out may be the same.
  void apply(const GoalSystem& system, const double* q, const double* x, double* out) const;
  /// Whether some joint stands at the speed's bound (and not at a limit).
  bool touches(const GoalSystem& system, const double* q) const;

 private:
  struct Ball {
    int column, coordinate;
    bool limited;
    ConeLimit cone;
    double near_swing;  // cos^2 of half the swing below which the cone is far
    double reach = 0.0;
  };
  std::uint64_t layout_ = 0;
  std::vector<double> limit_low_, limit_up_, lower_, upper_;
  std::vector<char> movable_;
  std::vector<Ball> balls_;
  std::vector<Wall> walls_;
  VecX from_;
};

}  // namespace armature::inline v0_2
