// Cyclic coordinate descent (Wang and Chen 1991; Welman 1993): from the outermost joint inwards, each joint in turn is
// set to what brings the effectors nearest to their goals. One iteration is one sweep over all joints.
#pragma once

#include "armature/solve/loop.hpp"
#include "armature/solve/method_options.hpp"
#include "armature/solve/methods/coordinate_descent.hpp"

namespace armature::inline v0_2 {

inline constexpr MethodInfo kCcdInfo{
    "ccd",       "Cyclic coordinate descent",
    "Heuristic", "One joint at a time, outermost first, each by its exact best change.",
    "#08705d",   "12 3 2 3",
    'd'};

class Ccd final : public MethodWith<CcdOptions> {
 public:
  const MethodInfo& info() const override { return kCcdInfo; }
  Status check(const Problem& problem) const override;
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;

 private:
  Loop loop_;
  CoordinateDescent descent_;
};

}  // namespace armature::inline v0_2
