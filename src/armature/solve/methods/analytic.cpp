#include "armature/solve/methods/analytic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/base/index.hpp"
#include "armature/geom/linalg.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature {
namespace {

/// The one goal that counts; postures without tolerance are preferences and do not.
Result<ChainGoal> the_goal(const CompiledProblem& problem, int& index) {
  index = -1;
  for (int i = 0; i < static_cast<int>(problem.goals().size()); ++i) {
    if (!problem.goals()[at(i)].required) continue;
    if (index >= 0) return Error{"The analytic method takes one goal; this problem has several."};
    index = i;
  }
  if (index < 0) return Error{"The analytic method needs a position or pose goal."};
  const CompiledGoal& goal = problem.goals()[at(index)];
  if (goal.framed && goal.frame.position) return chain_goal(goal.frame);
  return Error{std::string("The analytic method takes position and pose goals, not '") + goal_name(*goal.goal) + "'."};
}

bool same_question(const ChainGoal& a, const ChainGoal& b) {
  return a.base == b.base && a.tip == b.tip && a.point == b.point && a.task.position_only == b.task.position_only &&
         a.task.free_turn == b.task.free_turn && a.task.free_slide == b.task.free_slide && a.task.axis == b.task.axis;
}

Result<ChainAnalysis> analyze(const CompiledProblem& problem, const ChainGoal& goal) {
  Result<ChainAnalysis> analysis = analyze_chain(problem.model(), goal.base, goal.tip, goal.point, goal.task);
  if (!analysis) return analysis;
  for (const ChainCoordinate& c : analysis->chain.coordinates) {
    if (problem.joint_weight(c.velocity) == 0.0) {
      return Error{"The analytic method moves every joint of its chain; '" + limit_name(problem.model(), c.coordinate) +
                   "' is locked."};
    }
  }
  return analysis;
}

}  // namespace

Status Analytic::check(const Problem& problem) const {
  return check_compiled(problem, settings, [](const CompiledProblem& compiled) -> Status {
    int index = 0;
    const Result<ChainGoal> goal = the_goal(compiled, index);
    if (!goal) return goal.error();
    return analyze(compiled, *goal).status();
  });
}

Status Analytic::prepare(const Problem& problem) {
  if (Status status = compiled_.interpret(problem, settings, report_.q); !status) return status;
  Result<ChainGoal> goal = the_goal(compiled_, index_);
  if (!goal) return goal.error();
  goal_ = *goal;
  // Locks are checked each time: they are cheap to look at, and the analysis does not depend on them.
  if (prepared_ && fingerprint_ == problem.model.fingerprint() && same_question(prepared_for_, goal_)) {
    if (!prepared_status_) return prepared_status_;
    for (const ChainCoordinate& c : analysis_.chain.coordinates) {
      if (compiled_.joint_weight(c.velocity) == 0.0) return analyze(compiled_, goal_).status();
    }
    return {};
  }
  Result<ChainAnalysis> analysis = analyze(compiled_, goal_);
  prepared_status_ = analysis.status();
  prepared_ = true;
  fingerprint_ = problem.model.fingerprint();
  prepared_for_ = goal_;
  if (analysis) analysis_ = std::move(*analysis);
  return prepared_status_;
}

void Analytic::measure(const Problem& problem, const VecX& q) {
  const Model& model = problem.model;
  forward(model, q, state_);
  report_.goals.resize(problem.goals.size());
  for (GoalReport& each : report_.goals) static_cast<GoalResidual&>(each) = {0.0, 0.0, true};
  identify(compiled_, report_);
  report_.position_error = report_.orientation_error = 0.0;
  const CompiledGoal& goal = compiled_.goals()[at(index_)];
  linearize(goal.frame, state_, rows_);
  double length = 0.0, angle = 0.0;
  for (int r = 0; r < rows_.rows; ++r) {
    const double e = rows_.error[at(r)];
    (compiled_.is_angle(goal, r) ? angle : length) += e * e;
  }
  GoalResidual& residual = report_.goals[at(index_)];
  residual.position_error = report_.position_error = std::sqrt(length);
  residual.orientation_error = report_.orientation_error = std::sqrt(angle);
  residual.reached =
      residual.position_error <= goal.tolerance && residual.orientation_error <= goal.orientation_tolerance;
  report_.joints_at_limits.clear();
  const double* lower = compiled_.lower();
  const double* upper = compiled_.upper();
  for (const ChainCoordinate& c : analysis_.chain.coordinates) {
    if (q[c.coordinate] <= lower[c.coordinate] || q[c.coordinate] >= upper[c.coordinate]) {
      const ModelJoint& joint = model.joint(model.coordinate_joint(c.coordinate));
      const bool low = q[c.coordinate] <= lower[c.coordinate];
      report_.joints_at_limits.push_back(
          {joint.name, c.coordinate - joint.q_index, low ? LimitSide::lower : LimitSide::upper, c.coordinate});
    }
  }
}

/// The pose and the goal's rows as measure() left them; the step is filled in when there is one.
void Analytic::record(const Problem& problem, const VecX& q, Trace& trace) const {
  TraceStep step;
  step.q = q;
  step.error = Eigen::Map<const VecX>(rows_.error.data(), rows_.rows);
  step.error_norm = step.error.norm();
  step.step = VecX::Zero(problem.model.v_size());
  trace.steps.push_back(std::move(step));
}

// No answer inside limits, and errors within the tolerance would not change that: either no branch exists, each missing
// by far, or every answer lies outside its limits by more than the tolerance can move it.
bool Analytic::proved(const double* lower, const double* upper, double tolerance) const {
  const bool closed = analysis_.kind == ChainClass::wrist || analysis_.kind == ChainClass::parallel;
  if (!closed || !analysis_.exact() || !answers_.no_answer_is_sure || answers_.singular_joints != 0) return false;
  const double length = 2.0 * analysis_.chain.chain.length;
  if (tolerance / length > 1e-5) return false;
  for (int k = 0; k < answers_.count; ++k) {
    Transform X;
    double jacobian[36], s[kMaxSmall];
    Eigen::Map<Eigen::Matrix<double, 6, 6>> J(jacobian);
    forward(analysis_.chain.chain, answers_.value[k], X, J);
    J.topRows<3>() /= length;
    singular_values(J, s);
    if (!(s[5] > 1e-3)) return false;
    const double reach = 10.0 * (tolerance / length + settings.orientation_tolerance) / s[5];
    bool outside = false;
    for (int j = 0; j < 6 && !outside; ++j) {
      const double v = answers_.value[k][j], turn = 2.0 * kPi;
      const double up = v + turn * std::ceil((lower[j] - reach - v) / turn);
      outside = up > upper[j] + reach;
    }
    if (!outside) return false;
  }
  return true;
}

const Report& Analytic::run(const Problem& problem, ConstVecRef start_pose, Trace* trace) {
  report_.q = start_pose;
  VecX& q = report_.q;
  report_.method = kAnalyticInfo.name;
  report_.why = "";
  report_.iterations = report_.restarts = 0;
  report_.bound = ReachBound::none;
  report_.bound_length = report_.goal_distance = 0.0;
  report_.smallest_singular_value = report_.manipulability = report_.condition = 0.0;
  report_.blocking_joints.clear();
  if (const Status status = prepare(problem); !status) {
    refuse(problem, kAnalyticInfo.name, status, report_);
    return report_;
  }
  const Model& model = problem.model;
  const double* low = compiled_.lower();
  const double* high = compiled_.upper();
  if (!q.allFinite()) q = neutral_pose(model);
  clamp(model, low, high, q.data());
  const int n = analysis_.joint_count();
  double start[kMaxAnalyticJoints], lower[kMaxAnalyticJoints], upper[kMaxAnalyticJoints];
  for (int j = 0; j < n; ++j) {
    const ChainCoordinate& c = analysis_.chain.coordinates[at(j)];
    start[j] = c.multiplier * q[c.coordinate] + c.offset;
    const double a = c.multiplier * low[c.coordinate] + c.offset, b = c.multiplier * high[c.coordinate] + c.offset;
    lower[j] = std::min(a, b);
    upper[j] = std::max(a, b);
  }
  measure(problem, q);
  if (trace != nullptr) record(problem, q, *trace);
  if (report_.goals[at(index_)].reached) {  // the start is an answer already
    report_.outcome = Outcome::converged;
    return report_;
  }
  ChainSolveOptions how;
  how.thorough = settings.thorough;
  how.lower = lower;
  how.upper = upper;
  Transform target = goal_.target;
  solve_chain(analysis_, target, start, how, answers_);
  within_limits(analysis_, answers_, lower, upper, start, 1, limited_);
  if (limited_.count == 0 && analysis_.kind == ChainClass::locked) {
    // Other values of the locked joint, outwards from the start.
    const int joint = analysis_.locked_joint;
    const double held = start[joint], from = std::max(lower[joint], held - kPi),
                 to = std::min(upper[joint], held + kPi);
    for (int k = 1; k <= 96 && limited_.count == 0; ++k) {
      const double step = (k % 2 == 1 ? 1 : -1) * ((k + 1) / 2) * kPi / 48.0;
      if (held + step < from || held + step > to) continue;
      start[joint] = held + step;
      solve_chain(analysis_, target, start, how, answers_);
      within_limits(analysis_, answers_, lower, upper, start, 1, limited_);
      ++report_.restarts;
    }
    start[joint] = held;
  }
  report_.iterations = 1;
  if (limited_.count > 0) {
    for (int j = 0; j < n; ++j) {
      const ChainCoordinate& c = analysis_.chain.coordinates[at(j)];
      const double value = (limited_.item[0].value[j] - c.offset) / c.multiplier;
      q[c.coordinate] = std::clamp(value, low[c.coordinate], high[c.coordinate]);
    }
  }
  measure(problem, q);
  if (trace != nullptr) {
    TraceStep& first = trace->steps.back();
    difference(model, first.q.data(), q.data(), first.step.data());
    record(problem, q, *trace);
  }
  if (report_.goals[at(index_)].reached) {
    report_.outcome = Outcome::converged;
  } else {
    const double tolerance = compiled_.goals()[at(index_)].tolerance;
    const bool sure = limited_.count == 0 && proved(lower, upper, tolerance);
    report_.outcome = sure ? Outcome::unreachable : Outcome::stalled;
    if (sure) report_.bound = ReachBound::no_solution;
  }
  return report_;
}

}  // namespace armature
