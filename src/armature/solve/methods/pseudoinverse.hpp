// Pseudoinverse of the Jacobian (eqs 5.20 to 5.23), with the control term (eqs 5.25 to 5.31).
#pragma once

#include "armature/solve/methods/jacobian_method.hpp"

namespace armature::inline v0_2 {

inline constexpr MethodInfo kPseudoinverseInfo{
    "pseudoinverse",
    "Pseudoinverse",
    "Jacobian",
    "The smallest joint change that moves the effector as wanted; large near singular poses.",
    "#b83a00",
    "7 3",
    's'};

class Pseudoinverse final : public MethodWith<PseudoinverseOptions> {
 public:
  const MethodInfo& info() const override { return kPseudoinverseInfo; }
  Status check(const Problem& problem) const override {
    return check_weighed(problem, settings, kPseudoinverseInfo.name);
  }
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;

 private:
  Loop loop_;
  MinimumNorm minimum_norm_;
  VecX u_;
  VecX z_;
};

}  // namespace armature::inline v0_2
