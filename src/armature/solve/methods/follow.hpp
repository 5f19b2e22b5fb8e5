// The follow method: the pose that continues the last one while goals move. Drags, tracks and control loops use it.
//
// It stays in one local minimum of an elastic energy (follow_energy.hpp) from solve to solve, by Newton steps
// (follow_step.hpp) inside a box of limits and speed (follow_box.hpp). The minimum depends on the goals alone, not on
// the way there, so that a closed path ends in the pose where it began; and nothing can jump, because the box is as
// small as the goals' motion. docs/decisions/follow.md says why each part is there, with measurements.
//
// State: a solve from the pose that the last one returned continues the gesture. begin() starts one; a solve from any
// other pose is a gesture of its own and is walked to its end, so that the method also answers single questions; and so
// is the same question again, where its answer was the start.
#pragma once

#include "armature/kinematics/mass_metric.hpp"
#include "armature/solve/method_options.hpp"
#include "armature/solve/methods/follow_box.hpp"
#include "armature/solve/methods/follow_energy.hpp"
#include "armature/solve/methods/follow_free.hpp"
#include "armature/solve/methods/follow_loops.hpp"
#include "armature/solve/methods/follow_recover.hpp"
#include "armature/solve/methods/follow_step.hpp"
#include "armature/solve/methods/strict_priorities.hpp"
#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

inline constexpr MethodInfo kFollowInfo{
    "follow",
    "Follow",
    "Gesture",
    "Newton steps on an elastic energy within the goals' speed: the answer that continues the last one, never a jump",
    "#d0356f",
    "",
    'd'};

class Follow : public MethodWith<FollowOptions> {
 public:
  const MethodInfo& info() const override { return kFollowInfo; }
  Status check(const Problem& problem) const override { return check_problem(problem); }
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;

  /// Starts a gesture at pose q, which becomes its home; the next solve from q is its first frame. False when the
  /// problem is refused.
  bool begin(const Problem& problem, const VecX& q);
  /// Another home, from the next solve on: a pose vector. Retargeting gives one per frame.
  void set_home(const VecX& home);
  const VecX& home() const { return home_; }
  /// The pose was changed from outside: the gesture goes on from there with the home that it has.
  void go_on_from(const VecX& q) {
    last_ = soft_ = q;
    comparable_ = stood_ = false;
  }
  /// One frame of the gesture in which velocity v moves its joint by no more than reach[v].
  const Report& solve_within(const Problem& problem, ConstVecRef start, const VecX& reach);
  /// The pose nearest to `home` that meets the goals on the branch of q, which meets them: the same steps with all
  /// joints alike and no box. True when q meets them still. Ends the gesture.
  bool slide(const Problem& problem, const VecX& home, VecX& q);
  /// Whether the last frame ended with a joint at the bound of its speed: it may still come nearer.
  bool held_back() const { return speeding_; }
  /// Whether loops tie the goals of the last problem: its poses are closed.
  bool keeps_loops() const { return compiled_.tied_by() != nullptr; }

 private:
  Status accept(const Problem& problem, const VecX& q);
  bool start_from(const Problem& problem, VecX& q);
  void start(const Problem& problem, const VecX& q);
  void find_metric(const Problem& problem, const VecX& q);
  void draw_inward();
  double goal_motion() const;
  bool goals_rest(const VecX& q);
  void remember_goals();
  void frame(const Problem& problem, VecX& q, const VecX* reach, bool ticks = false);
  void end_frame(const Model& model, const VecX& q);
  void descend(VecX& q);
  void reach_near(VecX& q);
  void close_behind(VecX& q);
  void try_bends(const double* q, double energy, double& best);
  void settle_others(const Problem& problem, VecX& q);
  void keep_free(VecX& q);
  double error() const;
  void keep_priorities(VecX& q);
  void record(const double* q);
  void finish(VecX& q);

  CompiledProblem compiled_;
  std::uint64_t fingerprint_ = 0;  // of the model
  FollowEnergy energy_;
  FollowBox box_;
  FollowStep step_;
  FollowStep closing_;  // of a tick's second descent
  FollowLoops loops_;   // in place of the box and the step, where loops tie the goals
  FollowFree free_;     // where nothing may be touched
  FollowRecover recover_;
  StrictPriorities priorities_;
  // Made by the first walk that needs them.
  std::unique_ptr<Follow> above_;           // the problem without its last priority
  std::unique_ptr<ReachGeneral> improver_;  // of the last priority, with the others held
  MassMetric mass_;
  std::vector<int> held_;  // links of goals that are met where the gesture begins
  Report report_;
  std::vector<double> push_;  // per velocity
  Trace* trace_ = nullptr;

  VecX home_;     // of the gesture: given, or where it began
  VecX drawn_;    // home as it is now: straight limbs drawn a little inside
  VecX inward_;   // per coordinate: how far that is at most
  VecX start_;    // where the gesture began
  VecX last_;     // what the last solve returned
  VecX metric_;   // per velocity
  VecX weights_;  // of the preferences, per velocity
  VecX unit_;     // per velocity: radians or metres per internal unit
  VecX reach_;    // the box's half width per velocity
  VecX from_;     // pose at the beginning of the frame
  VecX soft_;     // of solve_within: where its first descent ended
  VecX trial_, second_, walk_;
  std::vector<double> last_error_;  // rows at the last pose for the last goals
  std::vector<double> level_square_;
  std::vector<Mat3> last_target_;  // rotations, per task
  std::vector<Vec3> last_place_;   // what aims look at, per task
  bool comparable_ = false;        // whether last_error_ belongs to goals of this shape
  bool begun_ = false;             // by begin(): the next solve is one frame
  bool stood_ = false;             // a walk ended where it began: asked the same again, it is a walk again
  bool has_inward_ = false;
  bool stuck_ = false;  // the last step gained nothing although goals are not reached
  double damping_ = 0.0, closing_damping_ = 0.0;
  double motion_ = 0.0;    // of the goals in this frame, internal units
  double bound_ = 0.0;     // radians
  double moved_ = 0.0;     // by the last frame, internal units
  double deadline_ = 0.0;  // of a walk; 0: none
  int iterations_ = 0;
  bool speeding_ = false;  // the box's speed holds a joint back
  bool detoured_ = false;  // the plain steps of the last frame would have touched something
};

}  // namespace armature::inline v0_2
