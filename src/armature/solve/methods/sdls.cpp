#include "armature/solve/methods/sdls.hpp"

#include <algorithm>
#include <cmath>

namespace armature::inline v0_2 {
namespace {

constexpr double kRank = 1e-10;

// Scales x so that no entry exceeds `most`.
void clamp_largest(VecX& x, double most) {
  const double largest = x.cwiseAbs().maxCoeff();
  if (largest > most) x *= most / largest;
}

}  // namespace

// Section 3 of the paper. In its words: N_i how far the effectors move for a unit step along singular vector u_i, M_i
// how far the joints' own motions would move them if nothing cancelled.
void Sdls::selectively_damped(const Stack& stack) {
  u_.setZero(stack.columns());
  const int kept = svd_.rank(kRank);
  for (int i = 0; i < kept; ++i) {
    const auto u = svd_.U().col(i);
    const auto v = svd_.V().col(i);
    double needed = 0.0;
    double spent = 0.0;
    for (const Stack::Block& block : stack.blocks()) {
      needed += u.segment(block.first, block.count).norm();
      for (int c = 0; c < stack.columns(); ++c) {
        spent += std::abs(v[c]) * stack.A.col(c).segment(block.first, block.count).norm();
      }
    }
    const double s = svd_.s()[i];
    spent /= s;
    const double most = spent > needed ? settings.gamma * needed / spent : settings.gamma;
    part_ = (u.dot(wanted_) / s) * v;
    clamp_largest(part_, most);
    u_ += part_;
  }
  if (u_.size() > 0) clamp_largest(u_, settings.gamma);
}

const Report& Sdls::run(const Problem& problem, ConstVecRef start, Trace* trace) {
  Stack& stack = loop_.stack;
  loop_.closes_loops = true;
  return loop_.run(
      kSdlsInfo, problem, settings, start, trace, [&] { return check_weighed(loop_.compiled, kSdlsInfo.name); },
      [&](double* pose) {
        stack.differentiate(settings.jacobian_at == JacobianAt::target);
        stack.drop_blocked(pose);
        svd_.compute(stack.A);
        wanted_ = stack.error;
        const double longest = settings.max_error * problem.model.size();
        for (const Stack::Block& block : stack.blocks()) {
          auto part = wanted_.segment(block.first, block.count);
          const double norm = part.norm();
          if (norm > longest) part *= longest / norm;
        }
        if (part_.size() != stack.columns()) part_.resize(stack.columns());
        selectively_damped(stack);
        u_ *= settings.step_size;
        stack.apply(pose, u_, settings.max_step);
        return Move::stepped;
      });
}

}  // namespace armature::inline v0_2
