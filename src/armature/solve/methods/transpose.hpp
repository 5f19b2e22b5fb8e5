// Transpose of the Jacobian: v = alpha J' V (Wolovich and Elliott 1984; Welman 1993). By default alpha minimises the
// error to first order (Buss 2004); a fixed alpha is an option and diverges above 2 / sigma_max^2.
#pragma once

#include "armature/solve/methods/jacobian_method.hpp"

namespace armature::inline v0_2 {

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
