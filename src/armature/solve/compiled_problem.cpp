// Over 400 lines: the one place that gives a problem its meaning, goal by goal and joint by joint.
#include "armature/solve/compiled_problem.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/loop_projection.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/mass_goals.hpp"

namespace armature::inline v0_2 {
namespace {

// A bound counts as met within this part of the joint's range (or of a radian, or of the model's size).
constexpr double kAtLimit = 1e-9;

// Of a goal that is only a preference: every error is good enough.
constexpr double kPreferenceTolerance = 1e9;

// Within 1e-6 a matrix counts as a rotation (check_goal); from here on it is one.
Mat3 exact_rotation(const Mat3& given) {
  const Mat3 defect = given * given.transpose() - Mat3::Identity();
  if (defect.cwiseAbs().maxCoeff() < 1e-14) return given;
  return Quat(given).normalized().toRotationMatrix();
}

// goal_label() where it is kept: a temporary of "position hand" would allocate in every solve where strings are small.
void label_goal(const Goal& goal, const Model& model, int link, std::string& name) {
  if (const std::string& own = goal_fields(goal).name; !own.empty()) {
    name = own;
    return;
  }
  name = goal_name(goal);
  if (link != kWorld) name.append(1, ' ').append(model.link_name(link));
}

}  // namespace

// Links, tolerance, rows and name of one goal. Names are looked up, and the goal's own is composed, only when they are
// others than last time.
Status CompiledProblem::interpret_goal(const Problem& problem, std::size_t index) {
  const Goal& goal = problem.goals[index];
  if (Status status = check_fields(goal, model_); !status) return status;
  CompiledGoal& out = goals_[index];
  Names& names = names_[index];
  GoalReport& identity = identities_[index];
  const char* type = goal_name(goal);
  const ConstGoalFields fields = goal_fields(goal);
  const bool same = identity.type == type &&
                    std::visit(
                        [&](const auto& g) {
                          bool equal = true;
                          if constexpr (requires { g.link; }) equal = names.link == g.link;
                          if constexpr (requires { g.base; }) equal = equal && names.base == g.base;
                          if constexpr (requires { g.middle; }) {
                            equal = equal && names.middle == g.middle && names.upper == g.upper;
                          }
                          if constexpr (requires { g.contacts; }) equal = equal && names.contacts == g.contacts;
                          return equal;
                        },
                        goal) &&
                    names.tip == problem.tip;
  if (!same) {
    identity.type = "";
    const Result<GoalLinks> links = resolve_links(goal, model_, problem.tip);
    if (!links) return links.error();
    out.links = *links;
    std::visit(
        [&](const auto& g) {
          if constexpr (requires { g.link; }) names.link = g.link;
          if constexpr (requires { g.base; }) names.base = g.base;
          if constexpr (requires { g.middle; }) {
            names.middle = g.middle;
            names.upper = g.upper;
          }
          if constexpr (requires { g.contacts; }) names.contacts = g.contacts;
        },
        goal);
    names.tip = problem.tip;
    identity.type = type;
    identity.link = effector(goal, out.links);
    label_goal(goal, model_, identity.link, identity.name);
  } else if (!fields.name.empty() && identity.name != fields.name) {
    identity.name = fields.name;
  } else if (fields.name.empty() && named_[index] != 0) {
    label_goal(goal, model_, identity.link, identity.name);
  }
  named_[index] = fields.name.empty() ? 0 : 1;
  out.goal = &goal;
  out.weight = fields.weight;
  out.root_weight = std::sqrt(fields.weight);
  out.posture = std::holds_alternative<PostureGoal>(goal);
  out.on = fields.weight > 0.0;
  out.required = has_rows(goal);
  out.counts = out.required && !is_preference(goal);
  const bool aside = out.required && !out.counts;  // a preference with rows: behind the others, and never missed
  out.priority = aside ? std::max(fields.priority, 1) : fields.priority;
  out.framed = false;
  out.whole_pose = false;
  out.function = nullptr;
  const double own = fields.tolerance;
  double own_turn = 0.0;
  bool one_tolerance = true;  // for lengths and angles: not of a pose, which has two
  if (const auto* posture = std::get_if<PostureGoal>(&goal)) {
    out.rows = model_.v_size();
    out.length_rows = 0;
    own_turn = own;
    const bool one = posture->gain.size() == 1;
    out.desired = posture->target.size() > 0 ? posture->target.data() : start_.data();
    out.gain = one || posture->gain.size() == 0 ? nullptr : posture->gain.data();
    out.gain_for_all = one ? posture->gain[0] : 1.0;
  } else {
    std::visit(
        [&](const auto& g) {
          if constexpr (requires { g.frame_target(out.links); }) {
            out.framed = true;
            out.frame = g.frame_target(out.links);
            if (out.frame.orientation) out.frame.target.rotation = exact_rotation(out.frame.target.rotation);
          }
          if constexpr (requires { g.of_whole_pose(); }) {
            out.whole_pose = g.of_whole_pose();
            out.function = g.function.get();
          }
          if constexpr (requires { g.row_count(); }) {
            out.rows = g.row_count();
            out.length_rows = g.length_rows();
          }
          if constexpr (requires { g.orientation_tolerance; }) {
            own_turn = g.orientation_tolerance;
            one_tolerance = false;
          }
        },
        goal);
    if (out.length_rows == 0 && one_tolerance) own_turn = own;  // of a goal that only turns, `tolerance` is an angle
  }
  if (MassGoal::takes(goal)) {
    std::shared_ptr<MassGoal>& mass = mass_goals_[index];
    if (!mass) mass = std::make_shared<MassGoal>();
    if (Status status = mass->bind(goal, model_, out.links); !status) return status;
    out.whole_pose = true;
    out.function = mass.get();
  }
  out.tolerance = own > 0.0 && (out.length_rows > 0 || out.posture) ? own : tolerance_;
  out.orientation_tolerance = own_turn > 0.0 ? own_turn : orientation_tolerance_;
  if (aside) out.tolerance = out.orientation_tolerance = kPreferenceTolerance;
  identity.priority = out.priority;
  identity.required = out.counts;
  return {};
}

// Limits, locks and weights.
Status CompiledProblem::interpret_joints(const Problem& problem) {
  if (problem.limits.empty()) {
    lower_ = model_.lower().data();
    upper_ = model_.upper().data();
  } else {
    if (Status status = limits_of(problem, own_lower_, own_upper_); !status) return status;
    lower_ = own_lower_.data();
    upper_ = own_upper_.data();
  }
  if (locked_names_ == problem.locked && weight_names_ == problem.joint_weights && known_weights_) return {};
  known_weights_ = false;
  if (Status status = joint_weights_of(problem, weights_); !status) return status;
  locked_names_ = problem.locked;
  weight_names_ = problem.joint_weights;
  known_weights_ = true;
  return {};
}

Status CompiledProblem::interpret(const Problem& problem, const SolveOptions& options, const VecX& start) {
  if (problem.model.empty()) return Error{"The problem has no model."};
  if (start.size() != problem.model.q_size()) {
    return Error{"The start pose has " + std::to_string(start.size()) + " numbers; the model's poses have " +
                 std::to_string(problem.model.q_size()) + "."};
  }
  start_ = start;
  return interpret_from_start(problem, options);
}

// A goal that names one link and perhaps a base depends on the joints between them; what others depend on is not asked
// for here, so that they count as tied.
const ModelClosure* CompiledProblem::find_tie() const {
  const auto above = [&](int link, int stop) -> const ModelClosure* {
    for (int i = link; i >= 0 && i != stop; i = model_.parent(i)) {
      const ModelJoint& joint = model_.joint(i);
      for (int k = 0; k < joint.v_count; ++k) {
        if (const int c = loop_[at(joint.v_index + k)]; c >= 0) return &model_.closures()[at(c)];
      }
    }
    return nullptr;
  };
  if (!preferences_.empty()) return &model_.closures().front();
  for (const CompiledGoal& goal : goals_) {
    if (!goal.on) continue;
    if (!goal.framed) return &model_.closures().front();
    if (const ModelClosure* tie = above(goal.frame.link, -1)) return tie;
    if (const ModelClosure* tie = above(goal.frame.base, -1)) return tie;
  }
  return nullptr;
}

Status CompiledProblem::interpret(const Problem& problem, const SolveOptions& options) {
  if (problem.model.empty()) return Error{"The problem has no model."};
  if (problem.start.size() > 0) start_ = problem.start;
  if (start_.size() != problem.model.q_size()) start_ = start_pose(problem.model);
  if (problem.start.size() > 0 && problem.start.size() != problem.model.q_size()) return check_problem(problem);
  return interpret_from_start(problem, options);
}

Status CompiledProblem::interpret_from_start(const Problem& problem, const SolveOptions& options) {
  const Model& model = problem.model;
  problem_ = &problem;
  if (model_ != model) {
    model_ = model;
    angle_velocity_.assign(at(model.v_size()), 1);
    for (int v = 0; v < model.v_size(); ++v) {
      const ModelJoint& joint = model.joint(model.velocity_joint(v));
      angle_velocity_[at(v)] = coordinates(joint.type)[at(v - joint.v_index)] != Coordinate::length;
    }
    scalars_.clear();
    cones_.clear();
    for (int link = 0; link < model.link_count(); ++link) {
      const ModelJoint& joint = model.joint(link);
      if (joint.mimic || joint.q_count == 0) continue;
      const int scalars = joint.q_count == joint.v_count ? joint.q_count : joint.q_count - 4;
      for (int k = 0; k < scalars; ++k) {
        const bool length = model.coordinate_kinds()[at(joint.q_index + k)] == Coordinate::length;
        scalars_.push_back({joint.q_index + k, joint.v_index + k, length ? model.size() : 1.0});
      }
      if (joint.cone) cones_.push_back(link);
    }
    identities_.clear();
    known_weights_ = false;
    posture_error_.resize(std::max(model.v_size(), kMaxGoalRows));
    loop_.clear();
    if (!model.closures().empty()) loop_ = loop_of_velocities(model);
  }
  if (Status status = interpret_joints(problem); !status) return status;
  length_ = 0.25 * model.size();
  tolerance_ = options.tolerance > 0.0 ? options.tolerance : 1e-6 * model.size();
  orientation_tolerance_ = options.orientation_tolerance;
  goals_.resize(problem.goals.size());
  names_.resize(problem.goals.size());
  named_.resize(problem.goals.size());
  identities_.resize(problem.goals.size());
  mass_goals_.resize(problem.goals.size());
  preferences_.clear();
  one_priority_ = true;
  for (std::size_t g = 0; g < goals_.size(); ++g) {
    if (Status status = interpret_goal(problem, g); !status) {
      return goals_.size() == 1 ? status : Status{Error{"Goal " + std::to_string(g) + ": " + status.message()}};
    }
    const CompiledGoal& goal = goals_[g];
    one_priority_ = one_priority_ && goal.priority == goals_.front().priority;
    if (!goal.posture || !goal.on || goal.required) continue;
    preferences_.push_back({goal.desired, goal.gain, goal.gain_for_all * goal.weight});
  }
  tied_by_ = loop_.empty() ? nullptr : find_tie();
  if (tied_by_ != nullptr && !closes_loops) {
    return Error{"This method does not close loops, and closure " + detail::quoted(tied_by_->name) +
                 " ties joints that the goals need; use 'reach' or a Jacobian method such as 'dls'."};
  }
  return {};
}

bool CompiledProblem::has_wanted_value(int velocity) const {
  for (const CompiledGoal& goal : goals_) {
    if (!goal.posture || !goal.on) continue;
    if (goal.gain_of(velocity) > 0.0) return true;
  }
  for (const Preference& preference : preferences_) {
    if (preference.gain_of(velocity) > 0.0) return true;
  }
  return false;
}

GoalResidual CompiledProblem::measure(const CompiledGoal& goal, const State& state) {
  GoalResidual residual;
  residual.reached = true;
  if (!goal.on) return residual;
  GoalRows rows;
  const double* error = posture_error_.data();
  if (goal.posture) {
    evaluate_posture(model_, state, goal.desired, goal.gain, goal.gain_for_all, posture_error_.data(), nullptr, 0);
  } else {
    if (goal.framed) {
      linearize(goal.frame, state, rows);
    } else if (goal.whole_pose) {
      goal.measure_whole_pose(state, rows);
    } else {
      linearize(*goal.goal, state, goal.links, rows);
    }
    error = rows.error.data();
  }
  double lengths = 0.0;
  double angles = 0.0;
  double longest = 0.0;
  for (int r = 0; r < goal.rows; ++r) {
    const bool angle = is_angle(goal, r);
    (angle ? angles : lengths) += error[r] * error[r];
    if (!angle) longest = std::max(longest, std::abs(error[r]));
  }
  residual.position_error = std::sqrt(lengths);
  residual.orientation_error = std::sqrt(angles);
  if (!std::isfinite(lengths) && std::isfinite(longest)) {  // the squares overflow before the error does
    double sum = 0.0;
    for (int r = 0; r < goal.rows; ++r) sum += is_angle(goal, r) ? 0.0 : (error[r] / longest) * (error[r] / longest);
    residual.position_error = longest * std::sqrt(sum);
  }
  residual.reached = !goal.required || (residual.position_error <= goal.tolerance &&
                                        residual.orientation_error <= goal.orientation_tolerance);
  return residual;
}

void identify(const CompiledProblem& problem, Report& report) {
  if (report.model != problem.model()) report.model = problem.model();
  if (!report.refusal.empty()) report.refusal.clear();
  for (std::size_t g = 0; g < report.goals.size(); ++g) {
    const GoalReport& known = problem.identity(g);
    GoalReport& goal = report.goals[g];
    goal.priority = known.priority;
    goal.required = known.required;
    goal.type = known.type;
    goal.link = known.link;
    if (goal.name != known.name) goal.name = known.name;
  }
}

void fill_report(const CompiledProblem& problem, const double* q, const double* push, double push_floor,
                 Report& report) {
  identify(problem, report);
  report.position_error = 0.0;
  report.orientation_error = 0.0;
  for (std::size_t g = 0; g < report.goals.size(); ++g) {
    if (!problem.goals()[g].counts) continue;
    report.position_error = std::max(report.position_error, report.goals[g].position_error);
    report.orientation_error = std::max(report.orientation_error, report.goals[g].orientation_error);
  }
  report.joints_at_limits.clear();
  report.blocking_joints.clear();
  if (report.outcome == Outcome::converged) push = nullptr;
  const auto blocks = [&](int velocity, double outward) {
    return push != nullptr && problem.joint_weight(velocity) > 0.0 && outward > push_floor;
  };
  for (const CompiledProblem::Scalar& scalar : problem.scalars()) {
    const int i = scalar.coordinate;
    const double low = problem.lower()[i];
    const double high = problem.upper()[i];
    if (low == high) continue;  // fixed by its limits, not at one
    const double slack = kAtLimit * std::min(scalar.unit, high - low);
    const bool at_low = q[i] <= low + slack;
    const bool at_high = q[i] >= high - slack;
    if (!at_low && !at_high) continue;
    const int joint = problem.model().coordinate_joint(i);
    const LimitContact contact{problem.model().joint(joint).name, i - problem.model().joint(joint).q_index,
                               at_low ? LimitSide::lower : LimitSide::upper, i};
    report.joints_at_limits.push_back(contact);
    const double along = push != nullptr ? push[scalar.velocity] : 0.0;
    if ((at_low && blocks(scalar.velocity, -along)) || (at_high && blocks(scalar.velocity, along))) {
      report.blocking_joints.push_back(contact);
    }
  }
  if (problem.cones().empty()) return;
  for (const int link : problem.cones()) {
    const ModelJoint& joint = problem.model().joint(link);
    const int turn = joint.v_count - 3;  // where the quaternion begins, of coordinates and of velocities
    Vec3 outward[2];
    const int walls = cone_walls(*joint.cone, q + joint.q_index + turn, outward);
    if (walls == 0) continue;
    const LimitContact contact{joint.name, turn, LimitSide::cone, joint.q_index + turn};
    report.joints_at_limits.push_back(contact);
    bool held = false;
    for (int w = 0; w < walls && push != nullptr; ++w) {
      const Eigen::Map<const Vec3> along(push + joint.v_index + turn);
      held = held || blocks(joint.v_index + turn, outward[w].dot(along));
    }
    if (held) report.blocking_joints.push_back(contact);
  }
  const auto before = [](const LimitContact& a, const LimitContact& b) { return a.index < b.index; };
  std::sort(report.joints_at_limits.begin(), report.joints_at_limits.end(), before);
  std::sort(report.blocking_joints.begin(), report.blocking_joints.end(), before);
}

void refuse(const Problem& problem, const char* method, const Status& why, Report& report) {
  report.model = problem.model;
  report.refusal = why.message();
  report.outcome = Outcome::refused;
  report.method = method;
  report.reason = "";
  report.iterations = report.restarts = 0;
  report.goals.clear();
  report.joints_at_limits.clear();
  report.blocking_joints.clear();
  report.position_error = report.orientation_error = 0.0;
  report.measures.clear();
  report.proof.reset();
  report.collisions.clear();
  report.clearance = 0.0;
  report.times_reached = 0;
  if (!problem.model.empty() && report.q.size() == problem.model.q_size()) clamp(problem.model, report.q);
}

}  // namespace armature::inline v0_2
