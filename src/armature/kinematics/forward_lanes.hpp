// The pass of forward_batch.cpp, one definition per instruction set (forward_lanes.inl). Internal.
#pragma once

#include <cmath>

#include "armature/kinematics/forward_batch.hpp"

namespace armature::inline v0_2 {

inline constexpr int kMostLanes = 8;

/// One call: as many poses as there are lanes.
struct LanesCall {
  const Model& model;
  const ForwardBatch::Step* steps = nullptr;
  int step_count = 0;
  const std::int32_t* slots = nullptr;
  int slot_count = 0;
  const double* poses = nullptr;  // q_size numbers each, one behind the other
  double* sines = nullptr;        // by slot, a lane each: sine, then cosine
  double* kept = nullptr;         // frames of twelve numbers, a lane each
  bool positions = false;         // else whole frames are given out; null: nothing is
  double* out = nullptr;
  std::int64_t out_stride = 0;  // numbers from pose to pose
};
struct JacobianCall {
  const ForwardBatch::Column* columns = nullptr;
  int column_count = 0;
  const double* kept = nullptr;
  int tip = 0;  // the kept frame that the point belongs to
  const double* point = nullptr;
  double* out = nullptr;  // zeros; columns are added
  std::int64_t out_stride = 0;
};

#define ARMATURE_DECLARE_LANES(isa)                 \
  namespace isa {                                   \
  int forward_lane_count();                         \
  /* False: an angle is too large for the lanes. */ \
  bool forward_lanes(const LanesCall& call);        \
  void jacobian_lanes(const JacobianCall& call);    \
  }
ARMATURE_DECLARE_LANES(baseline)
#if defined(__x86_64__) && defined(__GNUC__)
ARMATURE_DECLARE_LANES(avx2)
ARMATURE_DECLARE_LANES(avx512)
#endif
#undef ARMATURE_DECLARE_LANES

}  // namespace armature::inline v0_2
