// The general path of reach by itself, whatever the problem: for tests that must not be served by the serial chain.
#pragma once

#include "armature/base/check.hpp"
#include "armature/solve/methods/reach_general.hpp"

namespace armature::test {

class GeneralReach {
 public:
  void solve(const Problem& problem, const ReachSettings& options, VecX& q, Report& report, Trace* trace) {
    ARMATURE_CHECK(compiled_.interpret(problem, options).ok(), "a test's problem is not sound");
    reach_.solve(compiled_, options, q, report, trace);
  }

 private:
  CompiledProblem compiled_;
  ReachGeneral reach_;
};

}  // namespace armature::test
