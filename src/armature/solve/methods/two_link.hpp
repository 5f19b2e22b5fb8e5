// Two links by analysis (section 5.3.1), in the plane and for any shoulder-elbow-wrist limb in space.
//
// The limb is found by itself, from the effector inwards: joints that cannot move the goal's point are the wrist, the
// next one is the elbow, the one before it (or the three axes through one point) the shoulder. Joints above the
// shoulder stay as they are. Elbow: an axis, or a ball. Shoulder: a ball, three axes through one point, or one axis
// parallel to the elbow's, for two links in the plane. The orientation of a pose goal is left to the wrist. A pole may
// be of any priority: it only turns the limb about the line to the goal, and leaves the goal's error as it is.
#pragma once

#include "armature/solve/loop.hpp"
#include "armature/solve/method_options.hpp"
#include "armature/solve/methods/coordinate_descent.hpp"
#include "armature/solve/methods/limb.hpp"

namespace armature::inline v0_2 {

inline constexpr MethodInfo kTwoLinkInfo{
    "two_link", "Two links, analytic",
    "Analytic", "Exact angles of a two-link limb by the law of cosines, both elbows, with pole or swivel.",
    "#6446c0",  "16 4",
    'x'};

/// The parts of a limb, as indices of handles.
struct Limb {
  int shoulder[3] = {-1, -1, -1};  // inner to outer
  int shoulder_count = 0;          // 1: a ball, or an axis in the plane; 3: three axes
  int elbow = -1;
  int wrist[3] = {-1, -1, -1};
  int wrist_count = 0;
  bool planar = false;
  int goal = -1;                // index in the problem
  int pole = -1;                // index in the problem, -1: none
  Vec3 carried = Vec3::Zero();  // the point that the limb brings to its target, in the frame of the goal's link
  bool turn_wrist = false;      // a pose goal: the wrist turns the end
};

class TwoLink final : public MethodWith<TwoLinkOptions> {
 public:
  const MethodInfo& info() const override { return kTwoLinkInfo; }
  Status check(const Problem& problem) const override { return check(problem, false); }
  /// `quick`: also refuses limbs whose shoulder is three single axes, which a search answers sooner.
  Status check(const Problem& problem, bool quick) const;
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;
  /// Of the last solve: the limb was proved too short, nothing but the limb can move, and it stands as near to the goal
  /// as its lengths allow: no search can do better.
  bool nearest() const;

 private:
  void place_limb(double* q);
  bool bend_and_turn(double bend, double swivel, const double* from, double* q);
  bool set_turns(const int* handles, int count, const Mat3& rotation, double* q) const;
  void set_wrist(const Mat3& carried_by, double* q) const;
  bool add(int handle, double amount, double* q) const;

  Loop loop_;
  CoordinateDescent descent_;
  Limb limb_;
  VecX seed_, trial_, best_, trial_step_;
  std::vector<Transform> saved_;
  std::vector<double> saved_q_;
  // Of the present solve, in the world at the seed pose.
  Vec3 shoulder_, elbow_, axis_, carried_, target_;
  Mat3 end_now_, end_goal_;
  std::optional<Proof> proof_;
  bool whole_ = true;  // the goal's position has no free axes and no boxes
};

/// Finds the limb of the problem's position or pose goal, or says why there is none. `descent` and `stack` prepared.
Status find_limb(Stack& stack, const CoordinateDescent& descent, Limb& limb);

}  // namespace armature::inline v0_2
