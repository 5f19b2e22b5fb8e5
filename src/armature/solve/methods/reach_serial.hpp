// One position, orientation or pose goal on a serial chain: translates a Problem for ReachChain and its answer back.
//
// Everything else (several goals, other joints, other goal types, control terms) is for the general path.
#pragma once

#include <memory>
#include <span>

#include "armature/solve/free_answers.hpp"
#include "armature/solve/methods/reach_chain.hpp"
#include "armature/solve/methods/reach_settings.hpp"
#include "armature/solve/stack.hpp"

namespace armature::inline v0_2 {

class ReachSerial {
 public:
  /// Whether the problem is of this kind; remembers the chain. Call before every solve(). Allocates only for a chain
  /// that is not among the last few.
  bool matches(const CompiledProblem& problem);

  /// After matches() said yes. Fills all of `report` but `method` and `why`. The measures (smallest singular value and
  /// the like) take longer than a solve: they are filled on request (options.measures) and when the goal was not
  /// reached; else they are 0.
  void solve(CompiledProblem& problem, const ReachSettings& options, VecX& q, Report& report, Trace* trace);

  /// After matches(problem) said yes. Answers those goals of the same link, base and point that are whole poses with
  /// the tolerances of the problem's goal, as Solver::solve_together says.
  void solve_together(const CompiledProblem& problem, const ReachSettings& options, std::span<const Goal> goals,
                      std::span<char> asked, MatX& poses, std::span<Report> reports);

  /// Kernels of this instruction set from now on; answers do not depend on it.
  void use(Isa isa);
  /// Only answers that touch nothing count from now on; null: any.
  void set_free(FreeAnswers* free) { free_ = free; }

 private:
  struct Entry {
    std::uint64_t fingerprint = 0;  // of the model
    int base = 0, tip = 0;
    Vec3 point;
    ModelChain chain;
    std::unique_ptr<ReachChain> reach;  // null: no serial chain
    std::vector<int> others;            // coordinates that do not belong to it
    VecX start;                         // scratch: a start of the table, with these in their middle
    std::uint64_t last_use = 0;
    bool own_limits = true;
    bool has_mobility = false;
  };
  Entry* find(const Model& model, const FrameTarget& frame);
  void set_call_limits(const CompiledProblem& problem, const VecX& q, Entry& entry);
  void record(CompiledProblem& problem, const VecX& q, const std::vector<VecX>& poses, Trace& trace);

  std::vector<Entry> entries_;
  Entry* current_ = nullptr;
  Stack stack_;
  VecX push_;  // per velocity
  std::uint64_t clock_ = 0;
  Isa isa_ = best_isa();
  FreeAnswers* free_ = nullptr;
  VecX pose_, whole_;  // that the filter asks about
};

}  // namespace armature::inline v0_2
