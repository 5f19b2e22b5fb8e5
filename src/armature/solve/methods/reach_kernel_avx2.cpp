// The kernels of the reach method for one instruction set: reach_kernel.inl says what they do.
#include "armature/solve/methods/reach_data.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a unit's boundary
#include "armature/kinematics/isa_avx2.inl"
namespace armature::inline v0_2::avx2 {
#include "armature/kinematics/pack.inl"
//
#include "armature/kinematics/sincos.inl"
//
#include "armature/kinematics/chain_kernel.inl"
//
#include "armature/solve/methods/reach_solve6.inl"
//
#include "armature/solve/methods/reach_kernel.inl"
//
#include "armature/solve/methods/reach_short16.inl"
//
#include "armature/solve/methods/reach_starts.inl"
//
#include "armature/solve/methods/reach_lanes.inl"
//
#include "armature/solve/methods/reach_approach.inl"
}  // namespace armature::inline v0_2::avx2
#include "armature/kinematics/isa_end.inl"
#endif
