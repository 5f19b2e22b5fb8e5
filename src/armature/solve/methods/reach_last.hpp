// The last part of the reach method, for goals that the search gave up on: some of them are reachable all the same.
//
// The search takes bold steps and gives each start little time. What it misses lies in a corner of the limits or at a
// nearly singular pose, where a step that is cut off at the limits points elsewhere. Here each step is the exact
// minimum of the damped linear problem inside the limits (block principal pivoting, Portugal, Judice and Vicente 1994),
// the slopes of rotations are exact, a step counts only if it improves, and a start is left only when it has come to
// rest. Starts: the nearest pose that the search found, then poses of which many coordinates are at a limit.
//
// For goals of one priority; preferences have no say.
#pragma once

#include <cstdint>
#include <vector>

#include "armature/base/rng.hpp"
#include "armature/solve/goal_system.hpp"

namespace armature::inline v0_2 {

class ReachLast {
 public:
  /// From q, then from elsewhere. True when every goal is reached: q is that pose then, else as it was. `iterations`:
  /// evaluations, at most; fewer for large systems, whose steps cost more. `deadline`: of clock(), 0
  /// for none. Allocates only when the system's shape changed.
  bool search(const CompiledProblem& problem, int iterations, std::uint64_t seed, double deadline, VecX& q);

  static double clock();  // seconds

  /// Of the last search.
  int iterations() const { return iterations_; }
  int starts() const { return starts_; }
  bool out_of_time() const { return out_of_time_; }

 private:
  enum class At : char { free, lower, upper, locked };

  void prepare(const CompiledProblem& problem);
  bool over();
  bool descend(double* q);
  bool step(double damping);
  int pivot(int pass);
  void find_bounds(const double* q);
  void close_walls(const double* q);
  void apply(double* q) const;
  void draw(Rng& rng, const VecX& seed, double* q) const;

  const CompiledProblem* problem_ = nullptr;
  GoalSystem system_;
  std::vector<At> state_;
  std::vector<double> low_, high_;  // of the step, per column
  std::vector<double> w_, z_, g_, x_;
  std::vector<double> damping_, t_;  // per row
  VecX start_, trial_;
  int iterations_ = 0, budget_ = 0, starts_ = 0;
  int fewest_ = 0, grace_ = 0;  // of the pivoting
  double deadline_ = 0.0;
  bool out_of_time_ = false;
};

}  // namespace armature::inline v0_2
