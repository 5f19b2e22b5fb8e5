// Time scaling: the same way in the least time that velocity and acceleration limits allow.
//
//   RetimeOptions options;
//   options.acceleration = VecX::Constant(model.v_size(), 5.0);
//   const Retimed fast = retime(model, clip, options).value();   // fast.clip: the same path on a new clock
//
// Along the path s(t) of poses (pose_path.hpp) velocities are q' s' and accelerations q' s'' + q'' s'^2: linear in s''
// and x = s'^2. Two passes over the path, after Pham and Pham (TOPP-RA): backwards the largest x at every point from
// which one can still come to rest at the end, forwards the largest acceleration that stays below it. The limits are
// then checked by differences of the frames that are written, and the clock is slowed near those that are still too
// fast, a few times; the whole of it by what is left. Linear in the number of points.
//
// Between the given frames poses are interpolated: an effector leaves its line there. `track` with a `retime` option
// solves for its goals again on the new clock (solve/track.hpp). Frames outside the model's limits stay where they are.
#pragma once

#include "armature/base/result.hpp"
#include "armature/model/model.hpp"
#include "armature/motion/clip.hpp"

namespace armature::inline v0_2 {

struct RetimeOptions {
  double velocity_scale = 1.0;  // fraction of the velocity limits that is used
  VecX velocity{};              // per velocity, limits; empty: the model's
  VecX acceleration{};          // per velocity, limits; empty: none, and the motion need not begin or end at rest
  double frame_time = 0.0;      // of the answer, seconds; 0: the clip's
};

struct Retimed {
  Clip clip;
  std::vector<double> source;       // of each frame: where in the given motion it is, counted in its frames
  double duration = 0.0;            // seconds
  double velocity_ratio = 0.0;      // largest |velocity| over its limit, by differences of the frames; at most 1
  double acceleration_ratio = 0.0;  // the same of accelerations
  int fastest = 0;                  // velocity that comes nearest to its limit
};

Result<Retimed> retime(const Model& model, const Clip& clip, const RetimeOptions& options);

/// Largest velocities and accelerations of a clip over limits, by differences of its frames; a clip with acceleration
/// limits (any finite one) begins and ends at rest.
struct MotionRatios {
  double velocity = 0.0, acceleration = 0.0;
  int fastest = 0;
};
MotionRatios motion_ratios(const Model& model, const Clip& clip, const VecX& velocity, const VecX& acceleration);

}  // namespace armature::inline v0_2
