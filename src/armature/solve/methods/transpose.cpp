#include "armature/solve/methods/transpose.hpp"

#include "armature/geom/linalg.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kTransposeMaxStep = 1.0;  // radians

}  // namespace

const Report& Transpose::run(const Problem& problem, ConstVecRef start, Trace* trace) {
  Stack& stack = loop_.stack;
  const double max_step = settings.max_step < 0.0 ? kTransposeMaxStep : settings.max_step;
  loop_.closes_loops = true;
  return loop_.run(
      kTransposeInfo, problem, settings, start, trace,
      [&] { return check_weighed(loop_.compiled, kTransposeInfo.name); },
      [&](double* pose) {
        stack.differentiate(settings.jacobian_at == JacobianAt::target);
        stack.drop_blocked(pose);
        if (u_.size() != stack.columns()) u_.resize(stack.columns());
        multiply_transposed(stack.A, stack.error.data(), u_.data());
        double alpha = settings.alpha;
        if (alpha == 0.0) {
          moved_.setZero(stack.rows());  // J J' V: where a unit step would lead
          for (int c = 0; c < stack.columns(); ++c) moved_ += u_[c] * stack.A.col(c);
          const double length2 = moved_.squaredNorm();
          alpha = length2 > 0.0 ? stack.error.dot(moved_) / length2 : 0.0;
        }
        u_ *= settings.step_size * alpha;
        stack.apply(pose, u_, max_step);
        return Move::stepped;
      });
}

}  // namespace armature::inline v0_2
