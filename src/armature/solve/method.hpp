// Methods of one's own: derive from IterativeMethod, say one step, and everything else (limits, stopping, best pose,
// trace, report) is that of the built-in methods.
//
//   struct SteepestOptions {
//     double gain = 0.5;
//     template <class V> void describe(V& v) { v.field("gain", gain, {.doc = "Fraction of the gradient step", .min = 0,
//     .max = 10}); }
//   };
//   struct Steepest : IterativeMethod<SteepestOptions> {
//     Move step(const Rows& rows, VecX& change) override {
//       change = options.gain * rows.J().transpose() * rows.error();
//       return Move::stepped;
//     }
//   };
//
// scene/methods.hpp registers it by name for every surface.
#pragma once

#include "armature/solve/loop.hpp"

namespace armature::inline v0_2 {

/// What a step may look at: errors and slopes at the present pose. Angle rows are scaled to lengths, a sliding joint's
/// column to what a radian is worth, both by `length`; columns are the velocities that may move.
class Rows {
 public:
  explicit Rows(const Stack& stack) : stack_(stack) {}
  const VecX& error() const { return stack_.error; }
  const MatX& J() const { return stack_.A; }
  double length() const { return stack_.length; }
  const std::vector<int>& velocities() const { return stack_.active; }  // of the columns
  const State& state() const { return stack_.state; }

 private:
  const Stack& stack_;
};

template <class Own>
class IterativeMethod : public MethodWith<Own> {
 public:
  /// One step from the present pose: the change of each column of J. Columns at a bound that the error pushes against
  /// are zero.
  virtual Move step(const Rows& rows, VecX& change) = 0;

  const Own& options = this->settings;  // its own
  /// Given when the method is registered; the texts must outlive it.
  MethodInfo method_info{"custom", "Custom", "Yours", ""};

  const MethodInfo& info() const override { return method_info; }
  Status check(const Problem& problem) const override {
    return check_compiled(
        problem, this->settings, [this](const CompiledProblem& p) { return accept(p); }, true);
  }
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override {
    Stack& stack = loop_.stack;
    const SolveOptions& common = this->settings;
    loop_.closes_loops = true;
    return loop_.run(
        method_info, problem, common, start, trace, [this] { return accept(loop_.compiled); },
        [&](double* pose) {
          stack.differentiate();
          stack.drop_blocked(pose);
          change_.setZero(stack.columns());
          const Move move = step(Rows(stack), change_);
          if (move == Move::singular || change_.size() != stack.columns()) {
            stack.step.setZero();
            return Move::singular;
          }
          change_ *= common.step_size;
          stack.apply(pose, change_, common.max_step < 0.0 ? kMaxStep : common.max_step);
          return move;
        });
  }

 private:
  static constexpr double kMaxStep = 1.0;  // radians
  Status accept(const CompiledProblem& problem) const {
    if (problem.all_one_priority()) return {};
    return Error{"Method '" + std::string(method_info.name) +
                 "' weighs goals against each other and knows no priorities; give all goals the same priority."};
  }

  Loop loop_;
  VecX change_;
};

}  // namespace armature::inline v0_2
