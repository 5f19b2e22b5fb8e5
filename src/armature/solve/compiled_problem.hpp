// A problem, interpreted: made once per solve, read by every method, kernel and report. Nothing else looks into the
// fields of a goal, of options or of limits to find out what they mean.
//
// Owns its memory and points into the problem, which must outlive the solve; allocates only when the problem has more
// goals than the last one, or another model.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "armature/solve/problem.hpp"
#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

class MassGoal;

/// A goal, interpreted.
struct CompiledGoal {
  const Goal* goal = nullptr;
  bool on = false;        // it has weight: its errors are measured
  bool required = false;  // on, and not a preferred posture: it has rows
  bool counts = false;    // required, and not a preference: the answer depends on it
  bool posture = false;
  bool whole_pose = false;  // it looks at all joints: `function` says all of it
  const GoalFunction* function = nullptr;
  bool framed = false;  // position, orientation or pose: `frame` says all of it
  FrameTarget frame;    // its rotation is exactly one
  double weight = 1.0;
  double root_weight = 1.0;
  int priority = 0;
  double tolerance = 0.0;  // of its length rows, metres; of its angle rows, radians
  double orientation_tolerance = 0.0;
  int rows = 0;
  int length_rows = 0;  // the first rows are lengths, the rest angles; of a posture see CompiledProblem::is_angle

  GoalLinks links;

  // Of a posture: the pose vector wanted, and gains per velocity (null: 1 for all) times a factor.
  const double* desired = nullptr;
  const double* gain = nullptr;
  double gain_for_all = 1.0;
  double gain_of(int velocity) const { return gain_for_all * (gain != nullptr ? gain[velocity] : 1.0); }

  /// Errors of a goal of the whole pose, into rows without links.
  void measure_whole_pose(const State& state, GoalRows& out) const {
    out.error.fill(0.0);
    function->linearize(state, out);
    out.rows = rows;
    out.links = 0;
  }
};

/// What the pose is drawn to where the goals leave freedom.
struct Preference {
  const double* desired;  // a pose vector
  const double* gain;     // per velocity; null: 1 for all
  double weight;

  static constexpr double kStrongest = 1e12;  // stronger counts as this: sums stay finite
  double gain_of(int velocity) const { return std::min(weight * (gain != nullptr ? gain[velocity] : 1.0), kStrongest); }
};

class CompiledProblem {
 public:
  /// Whether the method keeps loops closed. Goals that a closed loop ties are refused with the closure's name
  /// otherwise.
  bool closes_loops = false;
  /// Checks the problem and interprets it; an error says what is wrong with it.
  Status interpret(const Problem& problem, const SolveOptions& options);
  /// ... and that the search can start from this pose.
  Status interpret(const Problem& problem, const SolveOptions& options, const VecX& start);

  const Problem& problem() const { return *problem_; }
  const Model& model() const { return model_; }
  std::span<const CompiledGoal> goals() const { return goals_; }  // one per goal of the problem
  /// What reports call the goal: everything of a GoalReport but the errors.
  const GoalReport& identity(std::size_t goal) const { return identities_[goal]; }
  std::span<const Preference> preferences() const { return preferences_; }
  const double* lower() const { return lower_; }  // per coordinate
  const double* upper() const { return upper_; }
  double length() const { return length_; }        // metres that a radian of an angle row is worth
  double tolerance() const { return tolerance_; }  // metres: of goals without one of their own
  double orientation_tolerance() const { return orientation_tolerance_; }
  /// How willingly a velocity moves: 0 for a locked one.
  double joint_weight(int velocity) const { return weights_.size() > 0 ? weights_[velocity] : 1.0; }
  /// Whether every velocity has joint weight 1, and the limits are the model's own.
  bool plain_joints() const { return weights_.size() == 0; }
  const VecX& joint_weights() const { return weights_; }  // empty: 1 for all
  bool plain_limits() const { return lower_ == model_.lower().data() && upper_ == model_.upper().data(); }
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
  Status interpret_goal(const Problem& problem, std::size_t index);
  Status interpret_joints(const Problem& problem);
  Status interpret_from_start(const Problem& problem, const SolveOptions& options);
  const ModelClosure* find_tie() const;

  const Problem* problem_ = nullptr;
  Model model_;
  std::vector<CompiledGoal> goals_;
  std::vector<GoalReport> identities_;                 // per goal: name, type, link
  std::vector<std::shared_ptr<MassGoal>> mass_goals_;  // per goal, null where it is none
  std::vector<Preference> preferences_;
  std::vector<Scalar> scalars_;
  std::vector<int> cones_;
  std::vector<char> angle_velocity_;  // per velocity: an angle rather than a length
  const double* lower_ = nullptr;
  const double* upper_ = nullptr;
  VecX weights_, own_lower_, own_upper_, start_;
  // What names were looked up for the last time, to be compared with before they are looked up again.
  struct Names {
    LinkRef link, base, middle, upper, tip;
    std::vector<Contact> contacts;
    bool operator==(const Names&) const = default;
  };
  std::vector<Names> names_;
  std::vector<JointRef> locked_names_;
  JointMap<double> weight_names_;
  bool known_weights_ = false;  // weights_ belong to those names
  std::vector<char> named_;     // per goal: it had a name of its own
  double length_ = 1.0;
  double tolerance_ = 0.0;
  double orientation_tolerance_ = 0.0;
  bool one_priority_ = true;
  VecX posture_error_;
  std::vector<int> loop_;  // per velocity: closure, or -1; empty without closures
  const ModelClosure* tied_by_ = nullptr;
};

/// What `check` says of the problem, interpreted; or what is wrong with the problem itself.
template <class Check>
Status check_compiled(const Problem& problem, const SolveOptions& options, Check&& check, bool closes_loops = false) {
  CompiledProblem compiled;
  compiled.closes_loops = closes_loops;
  if (Status status = compiled.interpret(problem, options); !status) return status;
  return check(compiled);
}

/// Fills what every report says of an answer: largest errors, joints at their limits, joints whose limits keep the
/// error from falling. `report.outcome` is set and `report.goals` is measured. `push`: per velocity the slope J'e of
/// the error, whose part below `push_floor` is noise; null after success.
void fill_report(const CompiledProblem& problem, const double* q, const double* push, double push_floor,
                 Report& report);

/// The part of it that does not depend on the pose: the model, and what the goals are called.
void identify(const CompiledProblem& problem, Report& report);

/// Ends a refused problem: everything empty, report.q (the start) into limits.
void refuse(const Problem& problem, const char* method, const Status& why, Report& report);

}  // namespace armature::inline v0_2
