// Covers for one instruction set: covers.inl says what.
#include "armature/kinematics/covers.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a unit's boundary
#include "armature/kinematics/isa_avx2.inl"
namespace armature::inline v0_2::avx2 {
#include "armature/kinematics/pack.inl"
//
#include "armature/kinematics/covers.inl"
}  // namespace armature::inline v0_2::avx2
#include "armature/kinematics/isa_end.inl"
#endif
