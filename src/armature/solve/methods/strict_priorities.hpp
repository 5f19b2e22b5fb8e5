// Strict priorities, for methods that weigh goals of several priorities in one search.
//
// A priority that was missed may have been spoiled by those below it. The problem without the last priority is solved
// from the same start, so that what is asked last cannot change its answer; where that answer is better, it stands, and
// the last priority takes what it leaves. The smaller problem is treated alike, so that this holds for every priority.
//
//   if (priorities.missed(compiled, report)) {
//     const Report& alone = ...;  // of priorities.upper(), from the same start
//     if (priorities.spoiled(compiled, report, alone)) ...  // improve the last priority from alone's pose
//   }
#pragma once

#include "armature/solve/compiled_problem.hpp"
#include "armature/solve/methods/jacobian_method.hpp"
#include "armature/solve/report.hpp"

namespace armature::inline v0_2 {

class StrictPriorities {
 public:
  /// Whether some goal above the last priority was missed.
  bool missed(const CompiledProblem& problem, const Report& report);
  /// After missed() said yes: the problem without its last priority; preferences stay. Allocates only when its shape
  /// is another one than before.
  const Problem& upper() const { return upper_; }
  /// Whether `alone`, the answer to upper(), is better in the first priority in which they differ.
  bool spoiled(const CompiledProblem& problem, const Report& report, const Report& alone) const;

 private:
  bool above(const CompiledGoal& goal) const { return !goal.required || goal.priority < last_; }

  Problem upper_;
  int last_ = 0;
};

/// Damped steps towards a Stack's goals. Those of a lower priority move only what no higher one feels: priority after
/// priority, in what the ones before leave (Siciliano, Slotine 1991). One priority: the damped least squares step.
class PrioritySteps {
 public:
  /// u, of the A of the last differentiate(); damped by sqrt(lambda) of each priority's own error. Allocates only where
  /// the rows have another shape than before.
  void step(const Stack& stack, double lambda, VecX& u) { step(stack, lambda, stack.levels(), u); }
  /// Towards the first `levels` priorities alone.
  void step(const Stack& stack, double lambda, int levels, VecX& u);

 private:
  struct Level {
    MatX A;
    VecX error, step;
    MinimumNorm minimum;
  };
  std::vector<Level> levels_;
  MatX taken_;  // orthonormal columns: directions that priorities above have taken
};

}  // namespace armature::inline v0_2
