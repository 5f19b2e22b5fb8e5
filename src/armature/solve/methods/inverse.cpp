#include "armature/solve/methods/inverse.hpp"

#include <string>

#include "armature/base/suggest.hpp"
#include "armature/geom/linalg.hpp"
#include "armature/kinematics/defaults.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kInverseMaxStep = 0.5;   // radians
constexpr double kSingularPivot = 1e-10;  // smallest pivot / largest entry below which J has no inverse

}  // namespace

Status Inverse::accept(Stack& stack) {
  if (stack.has_loops()) {  // evaluated where the loops are closed
    stack.differentiate();
    if (stack.rows() == stack.motions()) return {};
    return Error{"Method 'inverse' needs a square Jacobian, but the goals have " + std::to_string(stack.rows()) +
                 " rows and closure " + detail::quoted(stack.problem().tied_by()->name) + " leaves " +
                 std::to_string(stack.motions()) + " independent motions; use 'pseudoinverse' or 'dls'."};
  }
  if (stack.rows() == stack.columns()) return {};
  return Error{"Method 'inverse' needs a square Jacobian, but the goals have " + std::to_string(stack.rows()) +
               " rows and " + std::to_string(stack.columns()) +
               " joint coordinates can move them; use 'pseudoinverse' or 'dls'."};
}

Status Inverse::check(const Problem& problem) const {
  return check_compiled(
      problem, settings,
      [](CompiledProblem& compiled) {
        if (Status status = check_weighed(compiled, kInverseInfo.name); !status) return status;
        Stack stack;
        stack.prepare(compiled);
        if (stack.has_loops()) {
          VecX q = start_pose(compiled.model());
          if (Status status = stack.assemble(q); !status) return status;
          stack.evaluate(q.data());
        }
        return accept(stack);
      },
      true);
}

const Report& Inverse::run(const Problem& problem, ConstVecRef start, Trace* trace) {
  Stack& stack = loop_.stack;
  const double max_step = settings.max_step < 0.0 ? kInverseMaxStep : settings.max_step;
  loop_.closes_loops = true;
  return loop_.run(
      kInverseInfo, problem, settings, start, trace,
      [&] {
        Status status = check_weighed(loop_.compiled, kInverseInfo.name);
        return status.ok() ? accept(stack) : status;
      },
      [&](double* pose) {
        stack.differentiate(settings.jacobian_at == JacobianAt::target);
        if (stack.has_loops()) {  // over the mechanism's own motions, which leave nothing for the control term either
          stack.reduce(factors_);
          u_ = settings.step_size * stack.error;
          const bool square = factors_.rows() == factors_.cols();  // not where branches meet
          if (!square || lu_solve(factors_.data(), u_.data(), stack.rows()) < kSingularPivot) {
            stack.step.setZero();
            return Move::singular;
          }
          if (z_.size() != stack.columns()) z_.resize(stack.columns());
          stack.expand(u_, z_);
          stack.apply(pose, z_, max_step);
          return Move::stepped;
        }
        factors_ = stack.A;
        // Eq 5.29 with J+ = J^-1. An invertible J has no null space, so the control term adds nothing but rounding.
        u_ = settings.step_size * stack.error;
        const bool controlled = stack.control(pose, settings.control == ControlForm::printed, z_);
        if (controlled) {
          for (int c = 0; c < stack.columns(); ++c) u_ += z_[c] * stack.A.col(c);
        }
        if (lu_solve(factors_.data(), u_.data(), stack.rows()) < kSingularPivot) {
          stack.step.setZero();
          return Move::singular;
        }
        if (controlled) u_ -= z_;
        stack.apply(pose, u_, max_step);
        return Move::stepped;
      });
}

}  // namespace armature::inline v0_2
