// All answers by analysis, the nearest inside limits returned: exact where the chain has a closed form.
#pragma once

#include "armature/solve/limited_answers.hpp"
#include "armature/solve/method_options.hpp"
#include "armature/solve/problem_chain.hpp"
#include "armature/solve/solver.hpp"
#include "armature/solve/stack.hpp"

namespace armature::inline v0_2 {

inline constexpr MethodInfo kAnalyticInfo{
    "analytic",
    "All solutions, analytic",
    "Analytic",
    "Every answer of a chain of up to seven joints by its equations; returns the nearest one inside limits.",
    "#8a5a00",
    "16 4 2 4",
    'D'};

class Analytic final : public MethodWith<AnalyticOptions> {
 public:
  const MethodInfo& info() const override { return kAnalyticInfo; }
  Status check(const Problem& problem) const override;
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;
  /// The same with the problem interpreted already, with these settings.
  const Report& answer(CompiledProblem& compiled, ConstVecRef start, Trace* trace);

  /// Whether the chain has one of the two classes whose equations are quicker than any search, exactly.
  bool is_quick(const CompiledProblem& compiled, const VecX& start);

  /// Of the last solve.
  const ChainAnswers& answers() const { return answers_; }

 private:
  void warm_up(CompiledProblem& compiled, const VecX& q);
  bool measure(CompiledProblem& compiled, const VecX& q);
  void find(CompiledProblem& compiled, VecX& q);
  bool proved(const CompiledGoal& goal) const;

  CompiledProblem compiled_;
  ProblemChain chain_;
  Stack stack_;
  Report report_;
  ChainAnswers answers_;
  LimitedAnswers limited_;
  State state_;
  VecX before_, step_;
};

}  // namespace armature::inline v0_2
