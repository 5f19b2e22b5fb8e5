// Damped least squares (eq 5.24; Wampler 1986, Nakamura and Hanafusa 1986), with the control term (eqs 5.25 to 5.31).
// Without an explicit damping it follows the error: lambda^2 = |V|^2 / 20 (Chan and Lawrence 1988), so that steps are
// careful far away and quadratic near the goal.
#pragma once

#include "armature/solve/methods/jacobian_method.hpp"

namespace armature::inline v0_2 {

inline constexpr MethodInfo kDlsInfo{"dls",      "Damped least squares",
                                     "Jacobian", "Trades exactness for small joint changes; calm at singular poses.",
                                     "#1a36a8",  "",
                                     'o'};

class Dls final : public MethodWith<DlsOptions> {
 public:
  const MethodInfo& info() const override { return kDlsInfo; }
  Status check(const Problem& problem) const override { return check_weighed(problem, settings, kDlsInfo.name); }
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;

 private:
  Loop loop_;
  MinimumNorm damped_;
  MinimumNorm exact_;
  VecX u_;
  VecX z_;
};

}  // namespace armature::inline v0_2
