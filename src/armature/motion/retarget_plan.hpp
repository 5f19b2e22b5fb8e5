// Where the root and the feet of a figure go, planned over a whole clip before any joint is turned: the source's
// directions on the target's bones, the root lowered and moved as standing feet ask on average, feet pinned where heel
// or toe stands, lifted where they would sink, and once more the root so that standing knees bend as the source's do.
// Every step is a least-squares problem over all frames (band.hpp). The world has z up.
#pragma once

#include "armature/motion/anatomy.hpp"
#include "armature/motion/band.hpp"
#include "armature/motion/contacts.hpp"

namespace armature::inline v0_2 {

/// A hand that carries the figure (a handstand, a cartwheel): over the frames, how high it asks the hips to be, and how
/// much it counts. Empty: it never does.
struct HandSupport {
  std::vector<double> hips, weight;
};

struct PlanOptions {
  bool feet = true;      // pins, root height and roll; without: directions and scaled travel only
  bool places = true;    // false: the target's root is fixed, only directions count
  double scale = 0.0;    // of the root's travel; 0: ratio of the legs
  double blend = 0.035;  // seconds over which a foot eases into and out of its place
  bool itself = false;   // the target is the source: the balls of its feet are where they were found
  /// 1: frames in which a standing foot keeps its tilt and its heel is held as firmly as its toe, left and right;
  /// empty: none.
  std::vector<char> firm[2]{};
  HandSupport hands[2]{};  // left and right, known once the figure was posed
};

struct RetargetPlan {
  int frames = 0;
  double scale = 1.0;
  Mat3 heading = Mat3::Identity();       // source's world to the target's, a quarter turn about up
  std::vector<Mat3> frame[kPartCount];   // anatomical frames over time in the target's world; empty: no such part
  std::vector<std::vector<Mat3>> spine;  // of the target's spine links, anatomical
  std::vector<std::vector<Mat3>> others;
  std::vector<Vec3> hips;               // middle of the target's hips
  std::vector<Mat3> thigh[2], shin[2];  // anatomical frames of the legs after the feet were placed
  std::vector<Mat3> foot[2];            // rotation of the foot's link
  std::vector<Vec3> ankle[2];
  std::vector<Vec3> reached[2];  // where the legs put the ankles
  std::vector<Vec3> belt;        // what moves under a figure in place, to be added at the end; may be empty
  Contacts contacts;             // of the source
  double floor = 0.0;            // height of the target's ground in its world
  Vec3 ball[2] = {Vec3::Zero(), Vec3::Zero()};  // of the foot's link: where the toe joint is, from the ankle
  double ball_height[2] = {0.0, 0.0};           // over the ground while the foot is flat
  double ankle_height[2] = {0.0, 0.0};
  std::vector<Vec3> source_belt;  // the same in the source
  bool legs = false;
};

/// Tracks and anatomy of both figures; the target's rest is a single frame.
RetargetPlan plan_retarget(FigureTracks source, const Anatomy& source_anatomy, Contacts contacts,
                           const FigureTracks& target_rest, const Anatomy& target_anatomy,
                           const std::optional<Vec3>& belt, const PlanOptions& options);

/// Two bones in closed form: from a way between the ends, and frames whose x is the hinge's side. The reach fades out
/// softly where the way is longer than the limb.
void bend_towards(const Vec3& way, double upper_length, double lower_length, Mat3& upper, Mat3& lower);

/// Eases from 0 to 1 inside each state over so many seconds, not at the clip's ends.
std::vector<double> contact_weights(const std::vector<char>& states, double frame_time, double seconds = 0.035);

}  // namespace armature::inline v0_2
