// What the clip tools share.
#pragma once

#include "armature/motion/clips.hpp"
#include "armature/motion/figure.hpp"

namespace armature::inline v0_2::clips {

Error other_model();
/// Of this model, with frames, finite, and with a clock.
Status check_clip(const Model& model, const Clip& clip);
/// Name and clock, without frames.
Clip empty_like(const Clip& clip);
VecX pose_of_frame(const Clip& clip, int frame);

/// difference() and integrate() with the rotations of Euler joints taken as rotations: their angles may wrap or flip
/// from one frame to the next, or from one clip to another, without the joint having moved. `near` chooses the turn of
/// the angles that come out. Velocities of such joints are body rates.
void pose_change(const Model& model, const double* from, const double* to, double* v);
void moved_pose(const Model& model, const double* from, const double* v, const double* near, double* q);
/// The pose a share of the way from one to the other, added to the clip.
void append_blend(const Model& model, const double* from, const double* to, double share, Clip& clip);

/// A turn about up and a shift along the ground.
struct GroundTurn {
  Vec3 up = Vec3::UnitZ();
  double heading = 0.0;
  Vec3 shift = Vec3::Zero();
  Transform transform() const { return {shift, Transform::rotate(up, heading).rotation}; }
};
/// How far `to` is turned about up from `from`.
double heading_between(const Mat3& from, const Mat3& to, const Vec3& up);
/// What takes one frame of the root to another, as far as the ground allows: place and heading, not height or tilt.
GroundTurn ground_turn(const Transform& from, const Transform& to, const Vec3& up);

/// Frames of the root link in the world.
std::vector<Transform> root_frames(const Model& model, const Clip& clip, int root);
/// Moves the figure by a transform of the world per frame: the root's coordinates are found anew, all others stay.
void move_root(const Model& model, int root, const std::vector<Transform>& moves, Clip& clip);

/// Whether the first frame is no part of the motion: converters put a T-pose there. Retargeting leaves it out.
bool first_frame_stands_apart(const Model& model, const Clip& clip);

}  // namespace armature::inline v0_2::clips
