// Selectively damped least squares (Buss and Kim 2005): each singular direction is damped by as much as a step along it
// would move joints further than the effector needs. Its clamps are angles, or relative to the linkage's size.
#pragma once

#include "armature/solve/methods/jacobian_method.hpp"

namespace armature::inline v0_2 {

inline constexpr MethodInfo kSdlsInfo{"sdls",     "Selectively damped least squares",
                                      "Jacobian", "Damps each singular direction by itself; no parameter to tune.",
                                      "#0094b0",  "4 2",
                                      'p'};

class Sdls final : public MethodWith<SdlsOptions> {
 public:
  const MethodInfo& info() const override { return kSdlsInfo; }
  Status check(const Problem& problem) const override { return check_weighed(problem, settings, kSdlsInfo.name); }
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;

 private:
  void selectively_damped(const Stack& stack);

  Loop loop_;
  Svd svd_;
  VecX wanted_;
  VecX u_;
  VecX part_;
};

}  // namespace armature::inline v0_2
