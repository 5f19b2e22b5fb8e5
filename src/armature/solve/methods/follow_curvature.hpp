// How the goals' forces turn as the joints do: the second-order part of their energy, K of docs/decisions/follow.md.
//
// For a goal that pulls with force f and moment t on its link, with a the joints' axes and J the velocities that they
// give the goal's point, K_ij = -a_i . (J_j x f) - 1/2 t . (a_i x a_j) for i above or at j on the way to the link
// (symmetric; within one ball joint symmetrised, without t). K is never stored: with G_j = -J_j x f + 1/2 t x a_j a
// product takes two sweeps over the path. Only goals of one link against the world have it; for others K is left out.
#pragma once

#include <vector>

#include "armature/solve/goal_system.hpp"

namespace armature::inline v0_2 {

class FollowCurvature {
 public:
  /// Allocates when the system's layout changed.
  void prepare(const GoalSystem& system, const CompiledProblem& problem);
  /// At the last differentiate(), for one force per row.
  void set_forces(const GoalSystem& system, const double* force);
  /// out += K x, one number per column.
  void add_product(const double* x, double* out) const;
  /// Diagonal of K per column.
  const std::vector<double>& diagonal() const { return diagonal_; }
  /// Largest force or moment, as a stiffness: what K is of the order of.
  double force() const { return force_; }

 private:
  struct Joint {
    int column;
    int motion;
    int ball;  // 0: first velocity of a ball joint; -1: nothing of a ball, or another of its velocities
    Vec3 a, G;
    Vec3 within;  // ball: what to add to the products of its velocities 01, 02, 12
  };
  struct Path {
    std::size_t goal;
    int link, first_row;
    int begin, end;  // into joints_
  };
  std::uint64_t layout_ = 0;
  Branches branches_;  // of the links that the goals are at
  std::vector<Path> paths_;
  std::vector<Joint> joints_;
  std::vector<double> diagonal_;
  double force_ = 0.0;
};

}  // namespace armature::inline v0_2
