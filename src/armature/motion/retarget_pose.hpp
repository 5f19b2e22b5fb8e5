// The joints of a target that follows a plan: in closed form where they are balls, fitted over the whole clip where
// they are hinges or have limits.
#pragma once

#include "armature/motion/retarget.hpp"
#include "armature/motion/retarget_plan.hpp"

namespace armature::inline v0_2 {

struct PoseInput {
  const Model& target;
  const Figure& figure;             // of the target
  const FigureTracks& source;       // over the clip
  const FigureTracks& target_rest;  // one frame
  const Anatomy& anatomy;           // of the target
  const RetargetPlan& plan;
  const RetargetOptions& options;
  Mat3 z_up;  // the target's world to one with z up
  VecX rest;  // of the target
  int root;   // the link that travels; -1: none
};
struct PosedClip {
  Clip clip;
  int hands = 0;
  double hand_error = 0.0;
  HandSupport support[2]{};  // what hands that carry the figure ask of the next plan; empty: they are where they should
};
PosedClip pose_figure(const PoseInput& input);

}  // namespace armature::inline v0_2
