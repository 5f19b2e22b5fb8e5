// The reach method on one serial chain: many short descents from well-chosen starts.
//
//   1. A goal beyond the reach bound, or inside the hole, is answered at once (chain_bound.hpp).
//   2. The first descent starts from the caller's pose, or from the nearest of a table of random poses if that is
//   nearer
//      to the goal. Damped Gauss-Newton, limits inside the step (reach_kernel.inl).
//   3. A descent that stalls is given up early; the next starts from the table's other near poses, then at random.
//      Even attempts drop blocked joints, odd ones also solve again with the joints that would cross a limit fixed:
//      each fails on other goals.
//   4. Out of budget: the best poses met on the way are polished to the nearest pose (a descent with acceptance).
//
// Same question, same bits, on every machine and instruction set. No allocation after construction.
#pragma once

#include <cstdint>
#include <memory>

#include "armature/base/rng.hpp"
#include "armature/kinematics/chain.hpp"
#include "armature/kinematics/chain_bound.hpp"
#include "armature/solve/methods/reach_data.hpp"
#include "armature/solve/methods/reach_settings.hpp"
#include "armature/solve/report.hpp"

namespace armature::inline v0_2 {

/// What is asked of the chain; see PoseGoal for the meaning.
struct ChainQuestion {
  Transform target;  // of the tip in the base
  bool position = true;
  bool orientation = true;
  bool partial = false;  // then the fields below count too
  std::array<bool, 3> position_free{}, orientation_free{};
  Vec3 position_box = Vec3::Zero(), orientation_box = Vec3::Zero();
  bool position_in_goal_frame = false, orientation_in_goal_frame = false;
  double tolerance = 1e-6;              // metres
  double orientation_tolerance = 1e-6;  // radians
};

/// Says whether an answer, or a start, touches nothing: one number per joint, radians and metres.
class ChainFilter {
 public:
  virtual bool is_free(const double* joints) = 0;
  /// The same of a start: the table of starts is kept for other questions, so this must not depend on the question.
  virtual bool start_is_free(const double* joints) = 0;
  /// How clear it is; larger is better.
  virtual double clearance(const double* joints) = 0;

 protected:
  ~ChainFilter() = default;
};

struct ChainSearch {
  int max_iterations = 10000;
  double max_time = 0.0;  // seconds; 0: none
  Quality quality = Quality::first;
  int candidates = 8;      // answers compared by the last two qualities
  bool only_seed = false;  // no starts but the caller's
  bool nearest_pose = true;
  std::uint64_t seed = 1;
  double step_size = 1.0;
  double max_step = 0.0;  // radians, or the chain's length unit
};

struct ChainAnswer {
  Outcome outcome = Outcome::not_finite;
  int iterations = 0;
  int restarts = 0;
  double position_error = 0.0;     // metres
  double orientation_error = 0.0;  // radians
  std::optional<Proof> proof = {};
  int refused = 0;       // answers that the filter refused
  bool resolved = true;  // false: some joint went so far on the way that the errors must be measured anew
};

/// The goals of a batch, handed out in order and answered in any.
class ChainBatch {
 public:
  /// The next goal: target of the tip in the base, and the seed in `q`. False: there is no more.
  virtual bool next(int& id, Transform& target, double* q) = 0;
  /// Whether an answer counts: one that touches something may not.
  virtual bool accepts(int id, const double* q) = 0;
  virtual void answer(int id, const ChainAnswer& answer, const double* q) = 0;

 protected:
  ~ChainBatch() = default;
};

class ReachChain {
 public:
  /// `lower`, `upper`: limits of the joints, radians and metres, infinite where none. `starts`: poses in the table,
  /// rounded up to a multiple of eight; 0 for none.
  ReachChain(const Chain& chain, const double* lower, const double* upper, int starts = 512);

  const Chain& chain() const { return chain_; }
  /// Kernels of another instruction set; the answers stay the same.
  void use(Isa isa);

  /// Limits of the next questions (`restore_limits` for the constructor's). Equal bounds lock a joint.
  void set_limits(const double* lower, const double* upper);
  void restore_limits();
  /// How willingly each joint moves, >= 0; null: all alike.
  void set_mobility(const double* mobility);

  /// Starts that the filter refuses are drawn again. `stamp` tells filters apart; 0: no filter.
  void set_filter(ChainFilter* filter, std::uint64_t stamp);

  /// `q` holds the seed and then the answer: one number per joint, radians and metres.
  ChainAnswer solve(const ChainQuestion& question, const ChainSearch& search, double* q);

  /// Many whole poses side by side in the lanes of the kernel, with the tolerances of `pattern`
  /// (reach_chain_batch.cpp). The starts are those of solve(), and what arrives is as right; goals that are proved
  /// unreachable, or that a few descents do not reach, get no answer: ask solve() for them. No answer depends on the
  /// other goals.
  void solve_together(const ChainQuestion& pattern, ChainBatch& batch);

  /// Poses before each step of the next solves are appended (for traces); null ends it.
  void record(std::vector<VecX>* poses) { recorder_ = poses; }

  /// After a failed solve: the slope J'e of each joint, and what of it is noise.
  const double* gradient() const { return gradient_; }
  double gradient_floor() const { return gradient_floor_; }

 private:
  struct Pose {
    alignas(64) double q[kMaxChainJoints];
    double energy;
  };
  static constexpr int kPool = 8;  // best failed poses kept for the nearest one

  struct Run;
  void fill_table();
  void set_goal(const ChainQuestion& question);
  struct Slot;
  bool begin(Slot& slot, const ChainQuestion& question, const double* seed_place);
  bool begin_again(Slot& slot);
  void scan(Slot& slot);
  void enter(const double* q, double* internal) const;
  void leave(const double* internal, const double* seed, double* q) const;
  void draw(Rng& rng, double* internal) const;
  bool resolved(const double* internal) const;
  bool proved_unreachable(const ChainQuestion& question, const ReachGoal& goal, ChainAnswer& answer) const;
  void search(const ChainQuestion& question, const ChainSearch& options, Run& run);
  void find_nearest(Run& run, bool from_scratch);
  void remember(const double* internal, double energy);
  Pose* best_of_pool();
  double worth(Quality quality, const double* internal) const;
  bool free(const double* internal) const;
  void to_joints(const double* internal, double* q) const;
  bool walk(Run& run, double* internal);
  void keep_refused(Run& run);
  DescentResult descend(Run& run, double* internal);

  Chain chain_;
  const ReachKernel* kernel_;
  alignas(64) double own_lower_[kMaxChainJoints], own_upper_[kMaxChainJoints];  // radians and metres
  alignas(64) double lower_[kMaxChainJoints], upper_[kMaxChainJoints];          // of this call
  ChainRange own_range_, range_;
  ChainBound own_tip_bound_, own_wrist_bound_;
  ChainBound tip_bound_, wrist_bound_;
  ReachGoal goal_;
  DescentSettings settings_;
  std::vector<std::int16_t> table_poses_;
  std::vector<float> table_joints_, table_steps_;
  bool table_filled_ = false;  // by the first solve that needs it
  ChainFilter* filter_ = nullptr;
  std::uint64_t table_stamp_ = 0;  // the filter that the table was drawn with
  StartTable table_;
  NearestStarts near_;
  Pose pool_[kPool];
  int pool_size_ = 0;
  alignas(64) double mobility_[kMaxChainJoints];
  alignas(64) double gradient_[kMaxChainJoints] = {};
  double gradient_floor_ = 0.0;
  std::vector<VecX>* recorder_ = nullptr;
  struct TrailPose {
    alignas(64) double q[kMaxChainJoints];
  };
  std::vector<TrailPose> trail_;
};

}  // namespace armature::inline v0_2
