// One Newton step on the follow method's energy, inside its box.
//
// The body's stiffness is nearly diagonal and the goals are few and stiff, so P = M + J' S J is inverted in its dual
// form (DualSystem), which gives the goals' forces y = S (e - J x) as well. What P lacks, the curvature K of the goals
// under those forces, is small against M while the goals can be reached, and comes in by conjugate gradients
// preconditioned by P: a few products with K, no matrix. A direction in which the energy bends down is met on the way.
// Coordinates that would cross the box are put on it and the rest is solved again.
#pragma once

#include <algorithm>
#include <vector>

#include "armature/solve/methods/follow_box.hpp"
#include "armature/solve/methods/follow_energy.hpp"

namespace armature::inline v0_2 {

class FollowStep {
 public:
  void prepare(const FollowEnergy& energy);
  /// Forgets the forces of the last step.
  void begin();

  /// The step from q, where `energy` was evaluated; differentiates it. `damping` is added to the body's stiffness, a
  /// step of more than `longest` is shortened; `look`: a straight limb that is pushed may be stuck, look for
  /// a bend. False when there is no finite step.
  bool compute(FollowEnergy& energy, FollowBox& box, const double* q, double damping, double longest, bool look);
  /// Adds what takes back the part of the errors at the step's end that the slopes did not foresee.
  void correct(FollowEnergy& energy);
  /// The same for all that is left of the errors: reaches what is near, by the factors at hand.
  void reach(FollowEnergy& energy);
  void clear() { std::fill(x_.begin(), x_.end(), 0.0); }
  /// Adds `factor` times the direction of negative curvature.
  void buckle(double factor);
  /// Keeps the forces of this step for the curvature of the next.
  void keep_forces() { force_ = next_force_; }

  const std::vector<double>& x() const { return x_; }
  double largest() const;
  bool negative() const { return negative_; }
  /// Slope of the energy along the direction of negative curvature.
  double slope() const { return slope_; }
  /// Rows that the step is expected to leave.
  const std::vector<double>& predicted() const { return predicted_; }
  bool blocked() const { return blocked_; }

 private:
  bool solve(FollowEnergy& energy);
  void refine(FollowEnergy& energy);
  void add_rest(const FollowEnergy& energy, const double* x, double* out) const;
  void probe(FollowEnergy& energy);
  void expect_forces(const FollowEnergy& energy);
  void shorten(FollowEnergy& energy, const FollowBox& box, const double* q);
  bool bends(const FollowEnergy& energy, double& bent);
  void precondition(const FollowEnergy& energy, const double* v, double* out);
  void close(FollowEnergy& energy, FollowBox::Wall& wall, double gap);

  std::vector<double> x_, w_, z_, d_, r_, u_, p_, bp_, pz_, bend_;  // per column
  std::vector<char> fixed_;
  std::vector<double> rows_, t_, D_, predicted_, force_, next_force_;  // per row
  struct Block {  // of a wall that is leant against: force times how it curves
    int column;
    Mat3 stiffness;
  };
  std::vector<Block> blocks_;
  std::vector<FollowBox::Wall>* walls_ = nullptr;
  double slope_ = 0.0;
  bool negative_ = false;
  bool blocked_ = false;
};

}  // namespace armature::inline v0_2
