#include "armature/solve/compiled_problem.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/loop_projection.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature {
namespace {

// A bound counts as met within this part of the joint's range (or of a radian, or of the model's size).
constexpr double kAtLimit = 1e-9;

// Within 1e-6 a matrix counts as a rotation (check_goal); from here on it is one.
Mat3 exact_rotation(const Mat3& given) {
  const Mat3 defect = given * given.transpose() - Mat3::Identity();
  if (defect.cwiseAbs().maxCoeff() < 1e-14) return given;
  return Quat(given).normalized().toRotationMatrix();
}

}  // namespace

void CompiledProblem::interpret_goal(const Goal& goal, CompiledGoal& out) const {
  const GoalCommon& shared = common(goal);
  out.goal = &goal;
  out.weight = shared.weight;
  out.root_weight = std::sqrt(shared.weight);
  out.priority = shared.priority;
  out.posture = std::holds_alternative<PostureGoal>(goal);
  out.on = shared.weight > 0.0;
  out.required = out.on && !is_preference(goal);
  out.framed = false;
  const double own = shared.tolerance;
  double own_turn = 0.0;
  if (out.posture) {
    out.rows = model_->v_size();
    out.length_rows = 0;
    own_turn = own;
  } else {
    std::visit(
        [&](const auto& g) {
          if constexpr (requires { g.frame_target(); }) {
            out.framed = true;
            out.frame = g.frame_target();
            if (out.frame.orientation) out.frame.target.rotation = exact_rotation(out.frame.target.rotation);
          }
          if constexpr (requires { g.row_count(); }) {
            out.rows = g.row_count();
            out.length_rows = g.length_rows();
          }
          if constexpr (requires { g.orientation_tolerance; }) own_turn = g.orientation_tolerance;
        },
        goal);
    if (out.length_rows == 0) own_turn = own;  // of a goal that only turns, `tolerance` is an angle
  }
  out.tolerance = own > 0.0 && (out.length_rows > 0 || out.posture) ? own : tolerance_;
  out.orientation_tolerance = own_turn > 0.0 ? own_turn : orientation_tolerance_;
}

// A goal that names one link and perhaps a base depends on the joints between them; what others depend on is not asked
// for here, so that they count as tied.
const ModelClosure* CompiledProblem::find_tie() const {
  const auto above = [&](int link, int stop) -> const ModelClosure* {
    for (int i = link; i >= 0 && i != stop; i = model_->parent(i)) {
      const ModelJoint& joint = model_->joint(i);
      for (int k = 0; k < joint.v_count; ++k) {
        if (const int c = loop_[at(joint.v_index + k)]; c >= 0) return &model_->closures()[at(c)];
      }
    }
    return nullptr;
  };
  if (!preferences_.empty()) return &model_->closures().front();
  for (const CompiledGoal& goal : goals_) {
    if (!goal.on) continue;
    if (!goal.framed) return &model_->closures().front();
    if (const ModelClosure* tie = above(goal.frame.link, -1)) return tie;
    if (const ModelClosure* tie = above(goal.frame.base, -1)) return tie;
  }
  return nullptr;
}

Status CompiledProblem::interpret(const Problem& problem, const CommonOptions& options, bool closes_loops) {
  if (Status status = check_problem(problem); !status) return status;
  const Model& model = *problem.model;
  problem_ = &problem;
  if (model_ != &model || fingerprint_ != model.fingerprint()) {
    model_ = &model;
    fingerprint_ = model.fingerprint();
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
    neutral_ = neutral_pose(model);
    posture_error_.resize(std::max(model.v_size(), kMaxGoalRows));
    scratch_.resize(6, model.v_size());
    loop_.clear();
    if (!model.closures().empty()) loop_ = loop_of_velocities(model);
  }
  lower_ = problem.lower.size() > 0 ? problem.lower.data() : model.lower().data();
  upper_ = problem.upper.size() > 0 ? problem.upper.data() : model.upper().data();
  locked_ = problem.locked.empty() ? nullptr : problem.locked.data();
  joint_weights_ = problem.mobility.size() > 0 ? problem.mobility.data() : nullptr;
  length_ = 0.25 * model.size();
  tolerance_ = options.tolerance > 0.0 ? options.tolerance : 1e-6 * model.size();
  orientation_tolerance_ = options.orientation_tolerance;
  goals_.resize(problem.goals.size());
  preferences_.clear();
  one_priority_ = true;
  for (std::size_t g = 0; g < goals_.size(); ++g) {
    CompiledGoal& goal = goals_[g];
    interpret_goal(problem.goals[g], goal);
    one_priority_ = one_priority_ && goal.priority == goals_.front().priority;
    if (!goal.posture || !goal.on || goal.required) continue;
    const PostureGoal& posture = goal.as_posture();
    preferences_.push_back(
        {posture.desired.data(), posture.gain.size() > 0 ? posture.gain.data() : nullptr, posture.weight});
  }
  if (problem.gain.size() > 0 && !problem.gain.isZero(0.0)) {
    preferences_.push_back({problem.rest.size() > 0 ? problem.rest.data() : neutral_.data(), problem.gain.data(), 1.0});
  }
  tied_by_ = loop_.empty() ? nullptr : find_tie();
  if (tied_by_ != nullptr && !closes_loops) {
    return Error{"This method does not close loops, and closure " + quoted(tied_by_->name) +
                 " ties joints that the goals need; use 'reach' or a Jacobian method such as 'dls'."};
  }
  return {};
}

bool CompiledProblem::has_wanted_value(int velocity) const {
  for (const CompiledGoal& goal : goals_) {
    if (!goal.posture || !goal.on) continue;
    const VecX& gain = goal.as_posture().gain;
    if (gain.size() == 0 || gain[velocity] > 0.0) return true;
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
    evaluate(*goal.goal, *model_, state, posture_error_.data(), nullptr, 0, scratch_);
  } else {
    if (goal.framed) {
      linearize(goal.frame, state, rows);
    } else {
      linearize(*goal.goal, state, rows);
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

void fill_report(const CompiledProblem& problem, const double* q, const double* push, double push_floor,
                 Report& report) {
  report.position_error = 0.0;
  report.orientation_error = 0.0;
  for (std::size_t g = 0; g < report.goals.size(); ++g) {
    if (!problem.goals()[g].required) continue;
    report.position_error = std::max(report.position_error, report.goals[g].position_error);
    report.orientation_error = std::max(report.orientation_error, report.goals[g].orientation_error);
  }
  report.joints_at_limits.clear();
  report.blocking.clear();
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
    report.joints_at_limits.push_back(i);
    const double along = push != nullptr ? push[scalar.velocity] : 0.0;
    if ((at_low && blocks(scalar.velocity, -along)) || (at_high && blocks(scalar.velocity, along))) {
      report.blocking.push_back(i);
    }
  }
  if (problem.cones().empty()) return;
  for (const int link : problem.cones()) {
    const ModelJoint& joint = problem.model().joint(link);
    const int turn = joint.v_count - 3;  // where the quaternion begins, of coordinates and of velocities
    Vec3 outward[2];
    const int walls = cone_walls(*joint.cone, q + joint.q_index + turn, outward);
    if (walls == 0) continue;
    report.joints_at_limits.push_back(joint.q_index + turn);
    bool held = false;
    for (int w = 0; w < walls && push != nullptr; ++w) {
      const Eigen::Map<const Vec3> along(push + joint.v_index + turn);
      held = held || blocks(joint.v_index + turn, outward[w].dot(along));
    }
    if (held) report.blocking.push_back(joint.q_index + turn);
  }
  std::sort(report.joints_at_limits.begin(), report.joints_at_limits.end());
  std::sort(report.blocking.begin(), report.blocking.end());
}

void refuse(const Problem& problem, const char* method, VecX& q, Report& report) {
  report.outcome = Outcome::refused;
  report.method = method;
  report.why = "";
  report.iterations = report.restarts = 0;
  report.goals.clear();
  report.joints_at_limits.clear();
  report.blocking.clear();
  report.position_error = report.orientation_error = 0.0;
  report.smallest_singular_value = report.manipulability = report.condition = 0.0;
  report.bound = ReachBound::none;
  report.bound_length = report.goal_distance = 0.0;
  report.bound_of_wrist = false;
  if (problem.model != nullptr && q.size() == problem.model->q_size()) clamp(*problem.model, q);
}

}  // namespace armature
