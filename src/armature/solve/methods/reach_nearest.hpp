// The answer nearest to the start: quality `nearest` of the reach method.
//
//   1. Where the chain has a closed form (kinematics/analysis) all answers are known, and the nearest is one of them.
//   2. Else descents from starts around the given one, further and further out; each is local, because a search leads
//      all starts to the same few branches. Full turns are taken back, and where the goals leave freedom the answer
//      slides along its branch to the point nearest to the start (Follow::slide).
//
// Distance: radians, slides over a quarter of the model's size, each over the root of the joint's weight.
// The other qualities choose from all answers in the same way, where these are known by analysis.
// docs/decisions/follow.md has the share of goals for which the answer is truly the nearest.
#pragma once

#include "armature/base/rng.hpp"
#include "armature/kinematics/analysis.hpp"
#include "armature/solve/limited_answers.hpp"
#include "armature/solve/methods/follow.hpp"
#include "armature/solve/methods/reach.hpp"
#include "armature/solve/stack.hpp"

namespace armature::inline v0_2 {

/// Single turning joints by whole turns to the value nearest to `from` that the limits allow.
void turn_towards(const Model& model, const double* lower, const double* upper, const double* from, double* q);

class ReachNearest {
 public:
  /// `q` is the start and becomes the nearest answer found; false, and q as it was, when there is none. Allocates only
  /// when the problem's shape changed.
  bool search(CompiledProblem& problem, const ReachSettings& options, VecX& q);

  /// The best answer by a quality that is neither first nor nearest, where all are known by analysis; else false, and q
  /// as it was. Answers that touch something do not count where the problem avoids that.
  bool choose(CompiledProblem& problem, const ReachSettings& options, VecX& q);

  /// Of the last search: different answers that it chose from, whether these are all there are, what it cost.
  int answers() const { return answers_; }
  bool all() const { return all_; }
  int iterations() const { return iterations_; }
  int starts() const { return starts_; }

 private:
  void prepare(const CompiledProblem& problem, const ReachSettings& options, const VecX& q);
  bool analyze(const CompiledProblem& problem);
  bool solve_equations(CompiledProblem& problem);
  bool nearest_of_equations(CompiledProblem& problem, VecX& q);
  void set_chain(const CompiledProblem& problem, const double* value);  // q_: the start with the chain as it is here
  double worth(CompiledProblem& problem, Quality quality, const Report& report);
  void draw(const CompiledProblem& problem, double spread);
  double distance(const CompiledProblem& problem, const VecX& q) const;
  bool consider(CompiledProblem& problem);

  Reach local_;
  Follow slide_;
  Rng rng_;
  VecX start_, q_, slid_, best_;
  MatX known_;  // different answers, a pose per column
  double nearest_ = 0.0;
  int answers_ = 0, iterations_ = 0, starts_ = 0;
  bool all_ = false;
  bool free_ = false;  // the goals leave freedom

  // The chain that was analysed last.
  std::uint64_t fingerprint_ = 0;
  int base_ = -1, tip_ = -1;
  Vec3 point_ = Vec3::Zero();
  bool orientation_ = false;
  bool has_equations_ = false;
  ChainAnalysis analysis_;
  ChainAnswers equations_;
  double chain_start_[kMaxAnalyticJoints], chain_lower_[kMaxAnalyticJoints], chain_upper_[kMaxAnalyticJoints];
  Stack stack_;
  Measures measures_;
  LimitedAnswers limited_;
};

}  // namespace armature::inline v0_2
