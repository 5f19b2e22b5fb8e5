// Transpose of the Jacobian: v = alpha J' V (Wolovich and Elliott 1984; Welman 1993). By default alpha minimises the
// error to first order (Buss 2004); a fixed alpha is an option and diverges above 2 / sigma_max^2.
#pragma once

#include "armature/solve/methods/jacobian_method.hpp"

namespace armature::inline v0_2 {

struct TransposeOptions : JacobianOptions {
  double scale = 0.0;

  TransposeOptions() { max_iterations = 5000; }
  template <class V>
  void describe(V& v) {
    JacobianOptions::describe(v);
    v.field("scale", scale,
            {"Fixed factor alpha of J' V, in 1 / length^2; 0 chooses it by line search", 0, 1e9, Scale::log, "", true});
  }
};

inline constexpr MethodInfo kTransposeInfo{
    "transpose", "Jacobian transpose",
    "Jacobian",  "Each joint moves as far as it helps; no system to solve, many iterations.",
    "#7d1168",   "2 3",
    '^'};

class Transpose final : public MethodWith<TransposeOptions> {
 public:
  const MethodInfo& info() const override { return kTransposeInfo; }
  Status check(const Problem& problem) const override { return check_weighed(problem, settings, kTransposeInfo.name); }
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;

 private:
  Loop loop_;
  VecX u_;
  VecX moved_;
};

}  // namespace armature::inline v0_2
