#include "armature/solve/methods/dls.hpp"

#include <algorithm>
#include <cmath>

namespace armature::inline v0_2 {
namespace {

constexpr double kDlsMaxStep = 1.0;  // radians
constexpr double kFollow = 0.05;     // lambda^2 as a share of the squared error
constexpr double kFloor = 1e-12;     // ... and of the squared length scale, against singular poses at the goal

}  // namespace

const Report& Dls::run(const Problem& problem, ConstVecRef start, Trace* trace) {
  Stack& stack = loop_.stack;
  const double max_step = settings.max_step < 0.0 ? kDlsMaxStep : settings.max_step;
  loop_.closes_loops = true;
  return loop_.run(
      kDlsInfo, problem, settings, start, trace, [&] { return check_weighed(loop_.compiled, kDlsInfo.name); },
      [&](double* pose) {
        stack.differentiate(settings.jacobian_at == JacobianAt::target);
        stack.drop_blocked(pose);
        const double own2 = kFollow * stack.error.squaredNorm() + kFloor * stack.length * stack.length;
        const double damping = settings.damping > 0.0 ? settings.damping : std::sqrt(own2);
        loop_.damping = damping;
        damped_.factor(stack.A, damping);
        if (u_.size() != stack.columns()) u_.resize(stack.columns());
        damped_.solve(stack.error, u_);
        u_ *= settings.step_size;
        // The null space is that of J itself: a damped projector would leak into the effector.
        if (stack.control(pose, settings.control == ControlForm::printed, z_)) {
          exact_.factor(stack.A);
          exact_.project(z_);
          u_ -= z_;
        }
        stack.apply(pose, u_, max_step);
        return Move::stepped;
      });
}

}  // namespace armature::inline v0_2
