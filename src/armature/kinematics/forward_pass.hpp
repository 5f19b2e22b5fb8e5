// The flat pass of forward.cpp, one definition per instruction set (forward_pass.inl). Internal.
#pragma once

#include <algorithm>
#include <cmath>

#include "armature/kinematics/state.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

static_assert(sizeof(Transform) == 12 * sizeof(double), "the pass writes frames as twelve doubles");

#define ARMATURE_DECLARE_PASS(isa)                                                                           \
  namespace isa {                                                                                            \
  void forward_pass(const Model& model, const double* q, int begin, int end, double* sines, double* cosines, \
                    Transform* frames);                                                                      \
  }
ARMATURE_DECLARE_PASS(baseline)
#if defined(__x86_64__) && defined(__GNUC__)
ARMATURE_DECLARE_PASS(avx2)
#endif
#undef ARMATURE_DECLARE_PASS

}  // namespace armature::inline v0_2
