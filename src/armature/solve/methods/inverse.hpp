// Inverse of the Jacobian (eqs 5.18, 5.19): for as many joints as goal rows. A singular J is reported, never inverted.
#pragma once

#include "armature/solve/methods/jacobian_method.hpp"

namespace armature::inline v0_2 {

inline constexpr MethodInfo kInverseInfo{
    "inverse",  "Inverse Jacobian",
    "Jacobian", "Solves J v = V for a square J; stops at singular poses and clamps large steps.",
    "#5b5f66",  "1 3",
    'S'};

class Inverse final : public MethodWith<InverseOptions> {
 public:
  const MethodInfo& info() const override { return kInverseInfo; }
  Status check(const Problem& problem) const override;
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;

 private:
  static Status accept(Stack& stack);

  Loop loop_;
  MatX factors_;
  VecX u_;
  VecX z_;
};

}  // namespace armature::inline v0_2
