// Tools for a clip: cut, join, mirror, layer, smooth, reduce, measure. Each takes a clip of `model` and gives a new
// one. Between frames every joint goes the short way in its own space. Laws: tests/laws/clip_law_test.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/model.hpp"
#include "armature/motion/clip.hpp"
#include "armature/motion/keyframes.hpp"

namespace armature::inline v0_2::clips {

/// The part between two times, both included. Times between frames are interpolated.
Result<Clip> trim(const Model& model, const Clip& clip, double from, double to);
/// The same motion at another frame rate.
Result<Clip> resample(const Model& model, const Clip& clip, double frame_time);
Clip reverse(const Clip& clip);
/// `factor` times as fast, at the same frame rate.
Result<Clip> speed(const Model& model, const Clip& clip, double factor);
/// Every joint through a Gaussian window of this standard deviation; quaternions by their mean rotation. Straight lines
/// stay straight, also at the ends.
Result<Clip> smooth(const Model& model, const Clip& clip, double seconds);

struct JoinOptions {
  double blend = 0.0;      // seconds over which one motion goes over into the other
  bool align = true;       // the second begins where the first ends: place on the ground, and heading
  Vec3 up = Vec3::Zero();  // of the world; zero: the figure's own
};
/// One after the other. The last frame of the first is the same moment as the first of the second: durations add up,
/// less the blend.
Result<Clip> concat(const Model& model, const Clip& first, const Clip& second, const JoinOptions& options = {});
/// The ends changed so that the last frame is the first again, travel aside, at the same velocity. `blend` is how far
/// from each end frames may change; 0: a quarter of the clip, at most 0.5 seconds.
Result<Clip> loop(const Model& model, const Clip& clip, const JoinOptions& options = {});

struct LayerOptions {
  std::vector<int> links;  // whose joints, and all below them, take part; empty: all
  double weight = 1.0;
  bool additive = false;  // the change from the layer's first frame is added, instead of its poses taken
  double start = 0.0;     // seconds of the base at which the layer begins
  double fade = 0.0;      // seconds over which it comes and goes
};
/// `over` on top of `base`. Where the layer has ended, its last frame holds unless it fades.
Result<Clip> layer(const Model& model, const Clip& base, const Clip& over, const LayerOptions& options = {});

/// Left and right exchanged, by the links' names, across the plane that the figure's first frame stands in. Exact for
/// figures whose rest pose is the same on both sides.
Result<Clip> mirror(const Model& model, const Clip& clip);

/// How the ground moves under a motion that stays in place, since the first frame.
struct GroundMove {
  double x = 0.0, y = 0.0;  // along the two axes beside up, in cyclic order (z up: x and y; y up: z and x)
  double heading = 0.0;     // about up, radians
};
struct RootMotion {
  Clip clip;                       // in place
  std::vector<GroundMove> travel;  // frame by frame
};
struct RootOptions {
  bool turn = false;       // take out the heading too
  double smooth = 0.0;     // only the travel after a Gaussian window of so many seconds, so that the sway stays
  Vec3 up = Vec3::Zero();  // of the world; zero: the figure's own
};
Result<RootMotion> in_place(const Model& model, const Clip& clip, const RootOptions& options = {});
/// The way back: in_place() and then this is the motion that it was.
Result<Clip> add_travel(const Model& model, const Clip& clip, const std::vector<GroundMove>& travel,
                        const Vec3& up = Vec3::Zero());

/// Few keys instead of a pose per frame: linear ones, each joint at its own times.
struct Reduced {
  Keyframes keys;
  Clip clip;           // the keys, frame by frame
  int key_count = 0;   // of all joints
  int frame_keys = 0;  // what there were: joints times frames
  double error = 0.0;  // largest distance of a link's origin, or of a point one bone from it, from where it was
};
/// No link leaves its way by more than `tolerance`, as measured on every frame.
Result<Reduced> reduce(const Model& model, const Clip& clip, double tolerance);

/// Feet held still while they stand and kept out of the ground; the root gives way where it must.
Result<Clip> feet(const Model& model, const Clip& clip);

/// A point of a link that stays in one place over some frames.
struct Pin {
  int link = -1;
  Vec3 point = Vec3::Zero();  // in the link's frame
  int first = 0, last = 0;
  bool here = true;            // where it is in the first of these frames
  Vec3 target = Vec3::Zero();  // in the world, otherwise
  double weight = 1.0;
};
struct OptimizeOptions {
  std::vector<Pin> pins;
  double smooth = 0.03;  // seconds over which corners are rounded
  double keep = 0.05;    // weight of the motion as it was
  bool limits = true;
  bool velocity_limits = true;
  int max_iterations = 12;
};
struct Optimized {
  Clip clip;
  double pin_error = 0.0;                          // largest distance of a pinned point from its place
  double roughness_before = 0.0, roughness = 0.0;  // root mean square of the change of velocity per frame
  double largest_speed_ratio = 0.0;                // above 1: faster than a limit
  int iterations = 0;
};
/// The whole clip at once: smooth, near to what it was, with pins held and limits kept. Time grows with the frames.
Result<Optimized> optimize(const Model& model, const Clip& clip, const OptimizeOptions& options = {});

/// A foot that stands: from where to where, and how far it moved meanwhile.
struct Stance {
  int link = -1;
  bool toe = false;  // the ball of the foot; else the heel
  int first = 0, last = 0;
  double slide = 0.0;  // largest distance from where it first stood
};
struct JointStats {
  int link = -1;                       // the joint above it
  double largest_speed = 0.0;          // of any of its velocities, per second
  double lowest = 0.0, highest = 0.0;  // of its only coordinate, where it has but one
  bool outside_limits = false;
};
struct ClipStats {
  int frames = 0;
  double duration = 0.0;
  double travel = 0.0;     // length of the root's way along the ground
  double distance = 0.0;   // from its first to its last place
  double top_speed = 0.0;  // of the root along the ground
  std::vector<JointStats> joints;
  std::vector<Stance> stances;
  double largest_slide = 0.0;
  MotionCheck check;  // against the model's limits
};
ClipStats stats(const Model& model, const Clip& clip);

/// Positions of links in the world, frame by frame: rows of 3 numbers per link.
std::vector<double> positions(const Model& model, const Clip& clip, const std::vector<int>& links);

/// Which way is up for the figure: the nearest axis of the world to the way from feet to head. z without a figure.
Vec3 up_of(const Model& model, const Clip& clip);
/// The link whose joint carries the figure through the world: the first one free to travel that does, else the first
/// that is free to; -1: none is.
int root_of(const Model& model, const Clip& clip);

}  // namespace armature::inline v0_2::clips
