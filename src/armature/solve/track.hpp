// Following prescribed paths (section 5.3): goal paths on a common clock -> a motion of the whole linkage.
//
// Each frame starts from the last one, so that the pose stays on its branch. Where a joint would move too far in one
// frame the time between the frames is halved, and halved again: near a singularity the motion is fast but whole, and a
// jump that even the shortest step cannot avoid is announced, never hidden.
#pragma once

#include <vector>

#include "armature/base/result.hpp"
#include "armature/motion/clip.hpp"
#include "armature/motion/path.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/solver.hpp"

namespace armature {

struct TrackOptions {
  double frame_time = 1.0 / 30.0;  // seconds
  int steps_per_frame = 0;         // iterations a frame; 0: until the goals are reached
  double largest_step = 0.2;       // of a joint between two solves, radians (or the model's size times it for sliding)
  int halvings = 8;                // of a frame, at most
  bool stop = false;               // end at the last point that is reached, instead of coming as near as possible
  double near_singular = 0.02;     // smallest over largest singular value below which a frame counts as near singular
};

struct TrackFrame {
  double time = 0.0;
  Outcome outcome = Outcome::converged;
  double position_error = 0.0;
  double orientation_error = 0.0;
  double joint_step = 0.0;  // largest change of a joint since the last frame
  int step_index = 0;       // which velocity that was
  int solves = 1;           // more than one where the frame was subdivided
  bool near_singular = false;
  bool jump = false;  // changed branch: a joint moved too far even in the shortest step
};

struct Track {
  Clip clip;
  std::vector<TrackFrame> frames;
  int unreached = 0;  // frames whose goals were not reached
  int jumps = 0;
  int near_singular = 0;
  int largest_step_frame = 0;
  double fraction = 1.0;  // of the paths' length that was followed: less than 1 where `stop` ended it
};

/// Follows `paths` (and keeps the goals that `problem` has anyway: a planted foot, a look-at) from the pose `start`.
/// The first frame is reached from `start` by whatever way; from then on the motion is continuous. The solver's
/// `continuous` option, where it has one, is switched on meanwhile. With steps_per_frame every step is taken as the
/// method gives it (the first frame too), and a frame counts as reached by the solver's own tolerances. Frames go on
/// until every path has ended.
Result<Track> track(Solver& solver, const Problem& problem, const std::vector<GoalPath>& paths, const VecX& start,
                    const TrackOptions& options);

/// The goal of a path at a time: its position, or its pose where the path has orientations.
Goal goal_at(const GoalPath& path, double time);

}  // namespace armature
