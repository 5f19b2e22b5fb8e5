// A motion of one figure carried over to another: bones turn as the source's do, seen from rest poses that are brought
// into line first; the root's travel is scaled by the legs; feet and hands are put in their places by solving each limb
// (two bones and a hinge) in closed form, and a foot that stands in the source stands in the target.
#pragma once

#include <vector>

#include "armature/base/result.hpp"
#include "armature/motion/clip.hpp"
#include "armature/motion/figure.hpp"

namespace armature::inline v0_2 {

struct RetargetOptions {
  bool keep_feet = true;
  bool keep_hands = true;
  bool limits = true;         // the target's joint limits hold
  double scale = 0.0;         // of the root's travel; 0: ratio of the leg lengths
  double still_speed = 0.25;  // leg lengths a second below which a low foot counts as planted
  double blend = 0.12;        // seconds over which a foot eases into and out of its place
};

/// Frames in which a foot stood, and how far it moved meanwhile.
struct Footfall {
  int link = -1;  // of the target
  int first = 0, last = 0;
  double slide = 0.0;  // largest distance from where it was planted, metres
};

struct Retargeted {
  Clip clip;  // of the target, at the source's frame rate
  double scale = 1.0;
  double leg_length = 0.0;  // of the target, 0 without legs
  std::vector<Footfall> footfalls;
  double largest_slide = 0.0;  // of all of them
  int hands = 0;               // that were kept in their places
  double hand_error = 0.0;     // largest distance of a hand from its place
  std::vector<std::string> notes;
};

/// The map names links of both models; links of the target that it leaves out stay as they are at rest.
Result<Retargeted> retarget(const Model& source, const Clip& clip, const Model& target, const BoneMap& map,
                            const RetargetOptions& options);

}  // namespace armature::inline v0_2
