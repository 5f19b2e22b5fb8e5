// The chain's forward kinematics for one instruction set: chain_forward.inl says what.
#include "armature/kinematics/chain_data.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a unit's boundary
namespace armature::inline v0_2::baseline {
#include "armature/kinematics/pack.inl"
//
#include "armature/kinematics/sincos.inl"
//
#include "armature/kinematics/chain_kernel.inl"
//
#include "armature/kinematics/chain_forward.inl"
}  // namespace armature::inline v0_2::baseline
