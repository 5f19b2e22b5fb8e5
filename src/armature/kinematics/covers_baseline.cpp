// Covers for one instruction set: covers.inl says what.
#include "armature/kinematics/covers.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a unit's boundary
namespace armature::inline v0_2::baseline {
#include "armature/kinematics/pack.inl"
//
#include "armature/kinematics/covers.inl"
}  // namespace armature::inline v0_2::baseline
