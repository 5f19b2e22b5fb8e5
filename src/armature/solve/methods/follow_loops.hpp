// One frame of the follow method where loops tie what the goals need: damped steps among the motions that keep the
// loops closed, and home along what the goals leave free. Joints of a loop cannot be put on a box one by one, so a step
// that would leave it is shortened as a whole.
#pragma once

#include "armature/solve/methods/strict_priorities.hpp"
#include "armature/solve/stack.hpp"

namespace armature::inline v0_2 {

class FollowLoops {
 public:
  /// Allocates when the problem has another shape than the last one; the problem must outlive the frames.
  void prepare(CompiledProblem& problem);
  /// The nearest closed pose, or the sentence why there is none.
  Status assemble(VecX& q) { return stack_.assemble(q); }
  /// From q, which is closed, towards the goals and then home; no joint moves by more than reach[v], and no loop
  /// changes to another assembly. True when the reach held a joint back.
  bool descend(VecX& q, const VecX& home, const VecX& reach, int& iterations);

 private:
  bool step(const VecX& q, const VecX& reach);

  Stack stack_;
  MinimumNorm minimum_;
  PrioritySteps steps_;
  VecX from_, trial_, change_, pull_, v_;
  bool held_ = false;
};

}  // namespace armature::inline v0_2
