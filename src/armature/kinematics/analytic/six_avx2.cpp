// Arms of six revolute joints for one instruction set: six.inl says what.
#include "armature/kinematics/analytic/series_tables.hpp"
#include "armature/kinematics/analytic/six_data.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a unit's boundary
#include "armature/kinematics/isa_avx2.inl"
namespace armature::inline v0_2::analytic::avx2 {
#include "armature/kinematics/pack.inl"
//
#include "armature/kinematics/sincos.inl"
//
#include "armature/kinematics/analytic/lanes.inl"
//
#include "armature/kinematics/analytic/refine.inl"
//
#include "armature/kinematics/analytic/closed.inl"
//
#include "armature/kinematics/analytic/series.inl"
//
#include "armature/kinematics/analytic/candidates.inl"
//
#include "armature/kinematics/analytic/pair.inl"
//
#include "armature/kinematics/analytic/general.inl"
//
#include "armature/kinematics/analytic/six.inl"
}  // namespace armature::inline v0_2::analytic::avx2
#include "armature/kinematics/isa_end.inl"
#endif
