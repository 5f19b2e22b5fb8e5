// Key poses and what lies between them: forward-kinematics animation (section 5.2).
//
// Every joint has a track of its own keys, so that an elbow may be keyed at other times than a hip. Between keys a
// joint moves in its own space: angles and lengths along straight lines or cubics, quaternions the short way round.
#pragma once

#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/model.hpp"
#include "armature/motion/clip.hpp"

namespace armature::inline v0_2 {

/// How a joint goes from one key to the next.
enum class Interpolation {
  step,       // holds, then jumps
  linear,     // steady
  cubic,      // smooth through the keys: velocity continuous (Catmull-Rom tangents for uneven times)
  ease,       // slow out of one key and into the next; stands still at both
  automatic,  // as cubic, but never beyond the keys on either side: level at a turning point ("auto" in files)
};
const char* interpolation_name(Interpolation interpolation);
Result<Interpolation> interpolation_from_name(std::string_view name);

struct Key {
  double time = 0.0;  // seconds
  std::vector<double> values;
  Interpolation interpolation = Interpolation::automatic;  // towards the next key
  // Tangents given by hand: the joint's velocities at the key, per second, before and after it. Empty: by the
  // interpolation. Of cubic and automatic stretches only.
  std::vector<double> rate_in{}, rate_out{};
};

class Keyframes {
 public:
  explicit Keyframes(const Model& model);

  /// Sets a key of one joint; replaces a key at the same time. The error names what is wrong.
  Status set(std::string_view joint, const Key& key);
  /// Sets a key of every joint.
  Status set_pose(double time, const VecX& q, Interpolation interpolation = Interpolation::automatic);

  /// The end is the start again: tangents there see across it, and times before and after lie in other cycles. What
  /// differs between the first and last key of a joint stays as it is (a root that travels).
  void set_periodic(bool periodic) { periodic_ = periodic; }
  bool periodic() const { return periodic_; }

  double start() const;  // time of the first key, 0 without keys
  double end() const;
  bool empty() const;

  /// The pose at a time. Before its first and after its last key a joint holds, unless the keys are periodic; a joint
  /// without keys stays neutral.
  void sample(double time, VecX& q) const;

  /// Frames from start() to end(), both included, at `frame_time` seconds.
  Result<Clip> to_clip(double frame_time) const;

  const std::vector<std::vector<Key>>& tracks() const { return tracks_; }  // by link index, sorted by time

 private:
  Status set_track(int link, const Key& key);
  Model model_;
  std::vector<std::vector<Key>> tracks_;
  bool periodic_ = false;
};

/// `count` frames of a model as a whole number; more than fit into memory (100 million numbers, 10 million frames) are
/// refused.
Result<int> check_frame_count(double count, int q_size);

/// Where a motion is faster or goes further than the model allows.
struct MotionFault {
  int frame = 0;
  int index = 0;  // velocity index (too fast) or coordinate index (outside limits)
  bool too_fast = false;
  double value = 0.0;  // the speed, or the coordinate
  double limit = 0.0;
};
struct MotionCheck {
  std::vector<MotionFault> faults;   // the worst of each velocity and coordinate
  double largest_speed_ratio = 0.0;  // speed over its limit; above 1 is too fast
  double largest_step = 0.0;         // of any velocity coordinate from frame to frame
  int largest_step_frame = 0;
  int largest_step_index = 0;
};
MotionCheck check_motion(const Model& model, const Clip& clip);

}  // namespace armature::inline v0_2
