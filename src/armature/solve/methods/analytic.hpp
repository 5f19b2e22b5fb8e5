// All answers by analysis, the nearest inside limits returned: exact where the chain has a closed form.
#pragma once

#include <cstdint>

#include "armature/solve/compiled_problem.hpp"
#include "armature/solve/solutions.hpp"
#include "armature/solve/solver.hpp"

namespace armature {

struct AnalyticOptions : CommonOptions {
  bool thorough = false;

  template <class V>
  void describe(V& v) {
    CommonOptions::describe(v);
    v.field("thorough", thorough,
            {"Both eliminants of classes K and G for every goal: twice the time, and what a proof needs"});
  }
};

inline constexpr SolverInfo kAnalyticInfo{
    "analytic", "All solutions, analytic", "Analytic",
    "Every answer of a chain of up to seven joints by its equations; returns the nearest one inside limits."};

class Analytic final : public SolverWith<AnalyticOptions> {
 public:
  const SolverInfo& info() const override { return kAnalyticInfo; }
  Status check(const Problem& problem) const override;
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;

  /// Of the last solve.
  const ChainAnswers& answers() const { return answers_; }
  const LimitedAnswers& limited() const { return limited_; }

 private:
  Status prepare(const Problem& problem);
  void measure(const Problem& problem, const VecX& q);
  void record(const Problem& problem, const VecX& q, Trace& trace) const;
  bool proved(const double* lower, const double* upper, double tolerance) const;

  CompiledProblem compiled_;
  Report report_;
  ChainAnswers answers_;
  LimitedAnswers limited_;
  ChainAnalysis analysis_;
  ChainGoal goal_;
  State state_;
  GoalRows rows_;
  int index_ = 0;  // of the goal in the problem
  // What the analysis was made for.
  bool prepared_ = false;
  std::uint64_t fingerprint_ = 0;
  ChainGoal prepared_for_;
  Status prepared_status_;
};

}  // namespace armature
