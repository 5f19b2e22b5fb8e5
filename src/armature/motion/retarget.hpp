// A motion of one figure carried over to another. Bones turn as the source's do, seen from frames that mean the same in
// both (anatomy.hpp); the root's travel is scaled by the legs; feet stand where the source's stand (contacts.hpp,
// retarget_plan.hpp); joints with few axes or limits are fitted over the whole clip (limb_fit.hpp).
#pragma once

#include <vector>

#include "armature/base/result.hpp"
#include "armature/motion/clip.hpp"
#include "armature/motion/figure.hpp"

namespace armature::inline v0_2 {

struct RetargetOptions {
  bool keep_feet = true;      // standing feet stay where they are; without: directions and scaled travel only
  bool keep_hands = true;     // hands that stand on the ground do, too, and carry the figure where feet do not
  bool within_limits = true;  // the target's joint limits hold
  double root_scale = 0.0;    // of the root's travel; 0: ratio of the leg lengths
  double still_speed = 0.45;  // leg lengths per second below which a low foot counts as standing
  double blend = 0.035;       // seconds over which a foot eases into and out of its place
  /// Poses in which the figures stand upright, with feet flat; empty: their rest poses, or else what the clip shows.
  VecX source_pose{}, target_pose{};
  BoneMap bone_map{};       // links of the target and of the source; empty: by the meaning of their names
  bool float_root = false;  // a target that stands fixed (a robot) gets a root that travels
};

/// Frames in which a foot stood, and how far it moved meanwhile.
struct Footfall {
  int link = -1;  // of the target
  int first = 0, last = 0;
  double slide = 0.0;  // largest distance from where it was planted, metres
};

/// How good a retargeted motion is. Lengths in leg lengths of their figure, angles in radians.
struct RetargetReport {
  double leg_direction = 0.0, arm_direction = 0.0, trunk_direction = 0.0;  // mean angles between the figures' bones
  int knees_back = 0;                      // leg-frames bent against the source's side by more than 3 degrees
  double source_slide = 0.0, slide = 0.0;  // mean speed of standing feet along the ground, per second
  double floating = 0.0;                   // mean distance of standing feet from the ground
  double sinking = 0.0;                    // deepest point of a foot under the ground
  double hand_sinking = 0.0;               // deepest wrist
  double knee_peak = 0.0, head_peak = 0.0, foot_peak = 0.0;  // largest acceleration, relative to the source's
  double travel = 1.0;                                       // of the root along the ground, relative to the source's
  double standing = 0.0;                                     // share of frames in which a foot stands
};

struct Retargeted {
  Clip clip;  // at the source's frame rate; clip.model is the target, or what make_travelling() made of it
  double root_scale = 1.0;
  BoneMap bone_map;         // that was used
  double leg_length = 0.0;  // of the target, 0 without legs
  std::vector<Footfall> footfalls;
  double largest_slide = 0.0;  // of all of them
  int hands = 0;               // that were found in both figures
  double hand_error = 0.0;     // largest distance of a hand from where the source's arm would have it
  RetargetReport report;
  std::vector<std::string> notes;
};

/// The clip knows its model. Links of the target that the bone map leaves out stay as they are at rest. A target that
/// is the clip's own figure (also read from its file anew) has the clip back, unless a map, a pose, a scale or limits
/// ask for more.
Result<Retargeted> retarget(const Clip& clip, const Model& target, const RetargetOptions& options = {});

/// A model whose root can travel: the target itself where it can. The hips of a file whose joints can all be moved
/// (glTF) become free where nothing above them is; any other model that stands fixed gets a free root when `float_root`
/// says so (edit float_root). What was done is told in `notes`.
Result<Model> make_travelling(const Model& target, bool float_root, std::vector<std::string>& notes);
/// A pose of one as a pose of the other: what the joint gained is at rest.
VecX carry_pose(const Model& before, const Model& after, const double* q);

}  // namespace armature::inline v0_2
