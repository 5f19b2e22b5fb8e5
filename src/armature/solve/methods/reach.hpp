// The reach method, the library's default: answers reachable goals inside limits, deterministically, and says why when
// it cannot (what is promised and what was counted: docs/methods/reach.md). One goal on a serial chain goes to compiled
// kernels (reach_serial.hpp), everything else to the general path of the same design (reach_general.hpp); goals that
// either gives up on are tried once more, slowly and thoroughly (reach_last.hpp). Who asks to keep the branch gets the
// follow method instead (follow.hpp): no search at all.
#pragma once

#include <memory>

#include "armature/solve/free_answers.hpp"
#include "armature/solve/loop.hpp"
#include "armature/solve/methods/jacobian_method.hpp"
#include "armature/solve/methods/reach_general.hpp"
#include "armature/solve/methods/reach_last.hpp"
#include "armature/solve/methods/reach_serial.hpp"
#include "armature/solve/methods/strict_priorities.hpp"
#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

inline constexpr MethodInfo kReachInfo{
    "reach",   "Reach",
    "Global",  "Damped Gauss-Newton with limits inside the step, from many starts; the one to use when in doubt",
    "#1a1b1e", "",
    '*'};

class Follow;
class ReachNearest;

class Reach : public MethodWith<ReachOptions, ReachSettings> {
 public:
  Reach();
  ~Reach() override;

  const MethodInfo& info() const override { return kReachInfo; }
  Status check(const Problem& problem) const override { return check_problem(problem); }
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;
  /// The same with the problem interpreted already, with these settings.
  const Report& answer(CompiledProblem& compiled, ConstVecRef start, Trace* trace);
  void solve_together(const Problem& problem, std::span<const Goal> goals, std::span<char> asked, MatX& poses,
                      std::span<Report> reports) override;

  /// Of what the last answer's goals can move, where the problem avoids collisions.
  double clearance(const VecX& q) { return free_.clearance(q.data()); }

  /// Only whether a goal can be reached is asked: a miss need not end in the nearest pose, and is not searched again by
  /// other means.
  bool only_decides = false;

  /// Kernels of this instruction set from now on; answers do not depend on it.
  void use(Isa isa) { serial_.use(isa); }

 private:
  void solve_loops(CompiledProblem& compiled, int starts, double deadline, bool free, Trace* trace);
  const Report& descend_loops(const Problem& problem, Trace* trace);
  void measure(const CompiledProblem& compiled, Trace* trace);
  void try_again(const CompiledProblem& compiled, double deadline, Trace* trace);
  bool choose_nearest(CompiledProblem& compiled, Trace* trace);
  bool choose_best(CompiledProblem& compiled, Trace* trace);
  void keep_priorities(CompiledProblem& compiled);
  void keep_branch(const CompiledProblem& compiled, Trace* trace);

  CompiledProblem compiled_;
  Loop loop_;  // measures poses that come from no search of its own
  SolveOptions measured_;
  ReachSerial serial_;
  ReachGeneral general_;
  ReachLast last_;
  // Made by the first solve that needs them.
  std::unique_ptr<Follow> follow_;         // keeps the branch
  std::unique_ptr<ReachNearest> nearest_;  // quality nearest
  std::unique_ptr<Reach> above_;           // the problem without its last priority
  StrictPriorities priorities_;
  VecX seed_;
  PrioritySteps loop_steps_;  // of solve_loops, as what follows
  VecX loop_first_, loop_start_, loop_change_;
  FreeAnswers free_;
  Report report_;
};

}  // namespace armature::inline v0_2
