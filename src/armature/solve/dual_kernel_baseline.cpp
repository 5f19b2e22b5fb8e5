// The plain kernel, and the choice between the kernels.
#include "armature/base/isa.hpp"
#include "armature/solve/dual_kernel.hpp"

namespace armature::inline v0_2 {
namespace baseline {
namespace {
#include "armature/solve/dual_kernel.inl"
}  // namespace
const DualKernel kDualKernel{add_group, factor, solve, dot, add};
}  // namespace baseline

const DualKernel& dual_kernel() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (best_isa() != Isa::baseline) return avx2::kDualKernel;
#endif
  return baseline::kDualKernel;
}

}  // namespace armature::inline v0_2
