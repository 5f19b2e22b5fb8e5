// The reach method for everything that is no single goal on a serial chain: trees, several effectors, every joint and
// goal type, priorities, preferences. Same design as the chain kernel (reach_chain.hpp), on a sparse system.
//
//   1. A goal that is proved out of reach (reach_bound.hpp) ends the search before it begins.
//   2. Descents of damped Gauss-Newton steps (reach_step.hpp), always accepted: the first from the caller's pose; one
//      that stalls is given up and the next starts elsewhere, first near the best pose so far, then further away.
//   3. Where the goals leave freedom, preferences decide: the descent goes on in the null space until they are content.
//   4. Qualities other than `first` compare several answers and stop when new ones no longer improve.
//   5. Out of budget: the best poses met on the way are polished by steps that must each improve (nearest pose).
//
// Same question, same bits. No allocation once a problem of the same shape was solved.
#pragma once

#include <cmath>
#include <vector>

#include "armature/base/rng.hpp"
#include "armature/solve/free_answers.hpp"
#include "armature/solve/goal_system.hpp"
#include "armature/solve/methods/reach_settings.hpp"
#include "armature/solve/methods/reach_step.hpp"
#include "armature/solve/reach_bound.hpp"

namespace armature::inline v0_2 {

class ReachGeneral {
 public:
  /// Fills all of `report` but `method` and `why`.
  void solve(CompiledProblem& problem, const ReachSettings& options, VecX& q, Report& report, Trace* trace);
  /// From q, which is as near to the higher priorities as can be: the lower ones take what those leave.
  void improve(CompiledProblem& problem, const ReachSettings& options, VecX& q, Report& report);
  /// Only answers that touch nothing count from now on; null: any.
  void set_free(FreeAnswers* free) { free_ = free; }

 private:
  enum class End { converged, stalled, out_of_budget, not_finite, blocked };

  /// How good a pose is, level by level: fewer unreached levels first, then the energy of the first unreached one.
  struct Merit {
    int reached_levels = -1;
    double energy = HUGE_VAL;
    bool better_than(const Merit& other, double factor) const {
      if (reached_levels != other.reached_levels) return reached_levels > other.reached_levels;
      return energy < factor * other.energy;
    }
  };
  struct Candidate {
    VecX q;
    Merit merit;
  };

  Merit merit() const;
  void begin(CompiledProblem& problem, const ReachSettings& options, VecX& q, Trace* trace);
  bool out_of_budget();
  End descend(double* q, bool resolve);
  bool move(double* q, const ReachStep::Settings& settings, bool wrap);
  void take(double* q, bool wrap);
  void please(double* q, ReachStep::Settings settings);
  void search(VecX& q);
  void find_nearest(VecX& q);
  void approach(double* q, int iterations);
  void remember(const double* q, const Merit& merit);
  void restart(int attempt, double* q);
  double worth(const double* q);
  bool turn_towards_seed(double* q) const;
  void finish(const VecX& q, Report& report);
  void record(const double* q);

  CompiledProblem* problem_ = nullptr;
  const ReachSettings* options_ = nullptr;
  GoalSystem system_;
  ReachStep step_;
  Rng rng_;
  Trace* trace_ = nullptr;
  MatX J_;
  VecX seed_, q_, best_answer_, trial_, reached_;
  std::vector<double> hold_, tiny_, held_energy_, push_;
  static constexpr int kPool = 6;
  static constexpr int kThorough = 200;  // iterations of an approach that is not a sketch
  Candidate pool_[kPool];                // best failed poses, worst last
  VecX known_[kPool];
  int pool_size_ = 0;
  End end_ = End::stalled;
  int iterations_ = 0;
  int restarts_ = 0;
  int refused_ = 0;  // answers that touched something
  FreeAnswers* free_ = nullptr;
  int budget_ = 0;
  double deadline_ = 0.0;
  bool out_of_time_ = false;
};

}  // namespace armature::inline v0_2
