#include "armature/solve/methods/pseudoinverse.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kPseudoinverseMaxStep = 0.5;  // radians

}  // namespace

const Report& Pseudoinverse::run(const Problem& problem, ConstVecRef start, Trace* trace) {
  Stack& stack = loop_.stack;
  const double max_step = settings.max_step < 0.0 ? kPseudoinverseMaxStep : settings.max_step;
  loop_.closes_loops = true;
  return loop_.run(
      kPseudoinverseInfo, problem, settings, start, trace,
      [&] { return check_weighed(loop_.compiled, kPseudoinverseInfo.name); },
      [&](double* pose) {
        stack.differentiate(settings.jacobian_at == JacobianAt::target);
        stack.drop_blocked(pose);
        minimum_norm_.factor(stack.A);
        if (u_.size() != stack.columns()) u_.resize(stack.columns());
        minimum_norm_.solve(stack.error, u_);
        u_ *= settings.step_size;
        // J+ V + (J+ J - I) z: eq 5.28.
        if (stack.control(pose, settings.control == ControlForm::printed, z_)) {
          minimum_norm_.project(z_);
          u_ -= z_;
        }
        stack.apply(pose, u_, max_step);
        return Move::stepped;
      });
}

}  // namespace armature::inline v0_2
