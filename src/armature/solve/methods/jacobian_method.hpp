// What the Jacobian methods share: their options, what they can take, and the minimum-norm solution of A u = b.
#pragma once

#include "armature/geom/svd.hpp"
#include "armature/solve/loop.hpp"
#include "armature/solve/method_options.hpp"

namespace armature::inline v0_2 {

/// The problem has one level of priority: the most that a method which weighs goals can take.
Status check_weighed(const CompiledProblem& problem, const char* method);
inline Status check_weighed(const Problem& problem, const SolveOptions& options, const char* method) {
  return check_compiled(
      problem, options, [&](const CompiledProblem& p) { return check_weighed(p, method); }, true);
}

/// A+ b and the projector I - A+ A without forming A+ (eqs 5.20 to 5.31): the smaller of A A' and A' A is factorised;
/// a rank-deficient or nearly singular A goes through its singular values instead.
class MinimumNorm {
 public:
  /// Factorises for solve(); with damping > 0 for the damped solution A' (A A' + damping^2 I)^-1 b (eq 5.24).
  void factor(const MatX& A, double damping = 0.0);
  /// u = A+ b. Uses the matrix given to factor(), which must not have changed.
  void solve(const VecX& b, VecX& u);
  /// z = (I - A+ A) z, to rounding. Needs damping 0.
  void project(VecX& z);
  /// Whether A has as many independent rows (columns, when it has fewer) as it can.
  bool full_rank() const { return factored_; }

 private:
  void multiply(const VecX& z);  // product_ = A z

  const MatX* A_ = nullptr;
  bool factored_ = false;
  bool wide_ = true;
  double damping_ = 0.0;
  VecX gram_;
  VecX product_;
  VecX part_;
  Svd svd_;
};

}  // namespace armature::inline v0_2
