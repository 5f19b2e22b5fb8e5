// Many poses in one pass for one instruction set: forward_lanes.inl says what.
#include "armature/kinematics/forward_lanes.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a unit's boundary
namespace armature::inline v0_2::baseline {
#include "armature/kinematics/pack.inl"
//
#include "armature/kinematics/sincos.inl"
//
#include "armature/kinematics/forward_lanes.inl"
}  // namespace armature::inline v0_2::baseline
