// The kernel for AVX2: dual_kernel.inl says what.
#include "armature/solve/dual_kernel.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a unit's boundary
#include "armature/kinematics/isa_avx2.inl"
namespace armature::inline v0_2::avx2 {
namespace {
#include "armature/solve/dual_kernel.inl"
}  // namespace
const DualKernel kDualKernel{add_group, factor, solve, dot, add};
}  // namespace armature::inline v0_2::avx2
#include "armature/kinematics/isa_end.inl"
#endif
