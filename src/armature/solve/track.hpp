// Following prescribed paths (section 5.3): goals whose targets move, on a common clock -> a motion of the whole
// linkage.
//
// Each frame starts from the last one, so that the pose stays on its branch. Where a joint would move too far in one
// frame the time between the frames is halved, and halved again: near a singularity the motion is fast but whole, and a
// jump that even the shortest step cannot avoid is announced, never hidden.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/motion/clip.hpp"
#include "armature/motion/retime.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

struct TrackOptions {
  double frame_rate = 30.0;      // frames per second
  int steps_per_frame = 0;       // iterations per frame; 0: until the goals are reached
  double max_joint_step = 0.2;   // of a joint between two solves, radians (or the model's size times it for sliding)
  double singular_below = 0.02;  // smallest over largest singular value below which a frame counts as near singular
  bool stop = false;             // end at the last point that is reached, instead of coming as near as possible
  int halvings = 8;              // of a frame, at most
  // The paths on another clock: as fast as these limits allow, at the frame rate above (its frame_time is not used).
  // Goals are solved for again on the new clock where the paths were reached in one go; elsewhere, and of a number of
  // steps per frame, poses are interpolated and the errors are those of the frames that are returned.
  std::optional<RetimeOptions> retime{};
};

struct TrackFrame {
  double time = 0.0;
  Outcome outcome = Outcome::converged;
  double position_error = 0.0;
  double orientation_error = 0.0;
  Vec3 target = Vec3::Zero(), actual = Vec3::Zero();  // of the first goal that moves, in the world
  double joint_step = 0.0;                            // largest change of a joint since the last frame
  int step_index = 0;                                 // which velocity that was
  int solves = 1;                                     // more than one where the frame was subdivided
  bool near_singular = false;
  bool jump = false;  // changed branch: a joint moved too far even in the shortest step
};

struct Track {
  Clip clip;
  std::vector<TrackFrame> frames;
  std::vector<int> not_reached, near_singular, jumps;  // frames
  double largest_step = 0.0;                           // of a joint from frame to frame
  double largest_error = 0.0;                          // of a position
  int solves = 0;
  double fraction = 1.0;  // of the paths' length that was followed: less than 1 where `stop` ended it
  double asked = 0.0;     // retimed: seconds that the paths take on their own clock; else 0

  /// Whether the paths were followed to their ends and every frame was reached; frames of a number of steps are as near
  /// as those lead.
  bool ok() const { return fraction >= 1.0 && (not_reached.empty() || stepped); }
  bool stepped = false;  // by steps_per_frame
  /// Whether the limits make it more than a tenth longer than the paths ask for.
  bool slowed() const { return asked > 0.0 && clip.duration() > 1.1 * asked; }
  /// One or two sentences: what was reached, and which frames were not, are near singular, or jump.
  std::string message() const;
};

/// The goals that have a path follow it from problem.start, the others stay: a planted foot, a look-at. The first frame
/// is reached from the start by whatever way; from then on the motion is continuous. The method's `keep_branch` option,
/// where it has one, is switched on meanwhile. With steps_per_frame the first frame is the start itself, every step is
/// taken as the method gives it (no clamp unless max_step asks for one, the last pose and not the best one), and a
/// frame counts as reached by the method's own tolerances: one step per frame is the textbook's Euler integration
/// (figures 5.20 to 5.25). Frames go on until every path has ended. The method's options are left as they were.
Result<Track> track(const Problem& problem, const TrackOptions& options = {});  // by `reach`
Result<Track> track(Method& method, const Problem& problem, const TrackOptions& options = {});
inline Result<Track> track(Solver& solver, const Problem& problem, const TrackOptions& options = {}) {
  return track(*solver, problem, options);
}

/// Goals on their paths, for whoever draws or measures them.
struct MovingGoal {
  std::size_t goal = 0;  // index in the problem
  PathMotion motion;
};
/// Every goal of the problem that has a path and is not switched off, from the pose `start`.
Result<std::vector<MovingGoal>> moving_goals(const Problem& problem, const VecX& start);
/// The goal's target at a time; its path is left as it is.
void move_target(const MovingGoal& moving, double time, Goal& goal);

/// The path of a goal; null for types that have none.
const Path* goal_path(const Goal& goal);
Path* goal_path(Goal& goal);
inline bool has_path(const Goal& goal) { return goal_path(goal) != nullptr && !goal_path(goal)->empty(); }

}  // namespace armature::inline v0_2
