// The loop that every iterative method shares: convergence, best pose, stalling, limits of iterations and time, trace
// and report. A method brings one function that makes a better pose out of the present one.
#pragma once

#include "armature/geom/svd.hpp"
#include "armature/solve/solver.hpp"
#include "armature/solve/stack.hpp"

namespace armature::inline v0_2 {

enum class Move {
  stepped,   // q was changed
  singular,  // no step exists from a singular pose
  last,      // q was changed, and the method has nothing more to offer
};

class Loop {
 public:
  CompiledProblem compiled;
  Stack stack;
  Report report;
  double damping = 0.0;       // in use, for the trace
  bool uses_jacobian = true;  // of the method: what the trace keeps
  bool closes_loops = false;  // of the method: it moves by stack.apply() alone, which keeps loops closed

  /// `advance(q)` is called with `stack` evaluated at q, and moves q by stack.apply() (or leaves its change in
  /// stack.step for the trace). `accept()` may refuse after stack.prepare(). The pose is report.q throughout.
  template <class Accept, class Advance>
  const Report& run(const MethodInfo& info, const Problem& problem, const SolveOptions& options, ConstVecRef start,
                    Trace* trace, Accept&& accept, Advance&& advance) {
    report.q = start;
    VecX& q = report.q;
    Status status = begin(info, problem, options);
    if (status.ok()) status = accept();
    if (!status.ok()) {
      refuse(problem, info.name, status, report);
      return report;
    }
    while (goes_on(options, q)) {
      if (trace != nullptr) before_ = q;
      if (trace != nullptr) before_error_ = stack.error;
      const Move move = advance(q.data());
      if (trace != nullptr) stack.record(*trace, before_.data(), before_error_, damping, uses_jacobian);
      if (!moved(move, q)) break;
    }
    return end(options, q, trace);
  }

 private:
  Status begin(const MethodInfo& info, const Problem& problem, const SolveOptions& options);
  bool goes_on(const SolveOptions& options, const VecX& q);
  bool moved(Move move, const VecX& q);
  bool is_singular(const VecX& q);
  const Report& end(const SolveOptions& options, VecX& q, Trace* trace);

  Svd svd_;
  VecX nearby_, nearby_step_, kept_step_;
  VecX best_;
  VecX before_;
  VecX before_error_;
  double best_error_ = 0.0;
  double last_error_ = 0.0;
  double window_error_ = 0.0;  // best error when the present window of iterations began
  int window_end_ = 0;
  int still_ = 0;  // iterations in a row that moved nothing
  double deadline_ = 0.0;
};

}  // namespace armature::inline v0_2
