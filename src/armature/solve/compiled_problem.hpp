// A problem, interpreted: made once per solve, read by every method, kernel and report. Nothing else looks into the
// fields of a goal, of options or of limits to find out what they mean.
//
// Owns its memory and points into the problem, which must outlive the solve; allocates only when the problem has more
// goals than the last one, or another model.
#pragma once

#include <span>
#include <vector>

#include "armature/solve/problem.hpp"
#include "armature/solve/solver.hpp"

namespace armature {

/// A goal, interpreted.
struct CompiledGoal {
  const Goal* goal = nullptr;
  bool on = false;        // it has weight: its errors are measured
  bool required = false;  // on, and not a mere preference: it has rows
  bool posture = false;
  bool framed = false;  // position, orientation or pose: `frame` says all of it
  FrameTarget frame;    // its rotation is exactly one
  double weight = 1.0;
  double root_weight = 1.0;
  int priority = 0;
  double tolerance = 0.0;  // of its length rows, metres; of its angle rows, radians
  double orientation_tolerance = 0.0;
  int rows = 0;
  int length_rows = 0;  // the first rows are lengths, the rest angles; of a posture see CompiledProblem::is_angle

  const PostureGoal& as_posture() const { return std::get<PostureGoal>(*goal); }
};

/// What the pose is drawn to where the goals leave freedom.
struct Preference {
  const double* desired;  // a pose vector
  const double* gain;     // per velocity; null: 1 for all
  double weight;

  double gain_of(int velocity) const { return weight * (gain != nullptr ? gain[velocity] : 1.0); }
};

class CompiledProblem {
 public:
  /// Checks the problem and interprets it; an error says what is wrong with it. Goals that a closed loop ties are
  /// refused with the closure's name unless the method `closes_loops`.
  Status interpret(const Problem& problem, const CommonOptions& options, bool closes_loops = false);

  const Problem& problem() const { return *problem_; }
  const Model& model() const { return *model_; }
  std::span<const CompiledGoal> goals() const { return goals_; }  // one per goal of the problem
  std::span<const Preference> preferences() const { return preferences_; }
  const double* lower() const { return lower_; }  // per coordinate
  const double* upper() const { return upper_; }
  double length() const { return length_; }        // metres that a radian of an angle row is worth
  double tolerance() const { return tolerance_; }  // metres: of goals without one of their own
  double orientation_tolerance() const { return orientation_tolerance_; }
  /// How willingly a velocity moves: 0 for a locked one.
  double joint_weight(int velocity) const {
    if (locked_ != nullptr && locked_[velocity] != 0) return 0.0;
    return joint_weights_ != nullptr ? joint_weights_[velocity] : 1.0;
  }
  /// Whether every velocity has joint weight 1, and the limits are the model's own.
  bool plain_joints() const { return locked_ == nullptr && joint_weights_ == nullptr; }
  bool plain_limits() const { return lower_ == model_->lower().data() && upper_ == model_->upper().data(); }
  bool all_one_priority() const { return one_priority_; }
  /// Whether row r of the goal is an angle.
  bool is_angle(const CompiledGoal& goal, int row) const {
    return goal.posture ? angle_velocity_[static_cast<std::size_t>(row)] != 0 : row >= goal.length_rows;
  }
  /// Whether some posture wants this coordinate at a value, rather than at that value plus full turns.
  bool has_wanted_value(int velocity) const;

  /// The closure whose loop the goals' joints are in, or null: then loops stay as they are, because nothing in them
  /// moves.
  const ModelClosure* tied_by() const { return tied_by_; }
  /// Whether this velocity is in a loop.
  bool in_loop(int velocity) const { return !loop_.empty() && loop_[static_cast<std::size_t>(velocity)] >= 0; }

  /// A coordinate of a joint that is no mimic and no quaternion, and what it is measured in.
  struct Scalar {
    int coordinate, velocity;
    double unit;  // 1 for angles, the model's size for lengths
  };
  std::span<const Scalar> scalars() const { return scalars_; }
  /// Joints (link indices) that have a cone.
  std::span<const int> cones() const { return cones_; }

  /// Errors of one goal at a state of the model, as the goal defines them: what every report claims.
  GoalResidual measure(const CompiledGoal& goal, const State& state);

 private:
  void interpret_goal(const Goal& goal, CompiledGoal& out) const;
  const ModelClosure* find_tie() const;

  const Problem* problem_ = nullptr;
  const Model* model_ = nullptr;
  std::uint64_t fingerprint_ = 0;
  std::vector<CompiledGoal> goals_;
  std::vector<Preference> preferences_;
  std::vector<Scalar> scalars_;
  std::vector<int> cones_;
  std::vector<char> angle_velocity_;  // per velocity: an angle rather than a length
  VecX neutral_;
  const double* lower_ = nullptr;
  const double* upper_ = nullptr;
  const char* locked_ = nullptr;
  const double* joint_weights_ = nullptr;
  double length_ = 1.0;
  double tolerance_ = 0.0;
  double orientation_tolerance_ = 0.0;
  bool one_priority_ = true;
  VecX posture_error_;
  Jacobian scratch_;
  std::vector<int> loop_;  // per velocity: closure, or -1; empty without closures
  const ModelClosure* tied_by_ = nullptr;
};

/// What `check` says of the problem, interpreted; or what is wrong with the problem itself.
template <class Check>
Status check_compiled(const Problem& problem, const CommonOptions& options, Check&& check, bool closes_loops = false) {
  CompiledProblem compiled;
  if (Status status = compiled.interpret(problem, options, closes_loops); !status) return status;
  return check(compiled);
}

/// Fills what every report says of an answer: largest errors, joints at their limits, joints whose limits keep the
/// error from falling. `report.outcome` is set and `report.goals` is measured. `push`: per velocity the slope J'e of
/// the error, whose part below `push_floor` is noise; null after success.
void fill_report(const CompiledProblem& problem, const double* q, const double* push, double push_floor,
                 Report& report);

/// Ends a refused problem: everything empty, q into limits.
void refuse(const Problem& problem, const char* method, VecX& q, Report& report);

}  // namespace armature
