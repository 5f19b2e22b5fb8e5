// The flat pass for one instruction set: forward_pass.inl says what.
#include "armature/base/math.hpp"
#include "armature/kinematics/forward_pass.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a unit's boundary
namespace armature::inline v0_2::baseline {
#include "armature/kinematics/pack.inl"
//
#include "armature/kinematics/sincos.inl"
//
#include "armature/kinematics/forward_pass.inl"
}  // namespace armature::inline v0_2::baseline
