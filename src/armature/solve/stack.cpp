#include "armature/solve/stack.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/linalg.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature {
namespace {

// A point at a place of the world: by far the commonest goal, worth its own few lines.
const PositionGoal* plain_position(const Goal& goal) {
  const auto* position = std::get_if<PositionGoal>(&goal);
  return position != nullptr && position->base == kWorld && position->axes.trivial() ? position : nullptr;
}

// The axis of a joint that turns about one, in its own frame.
const Vec3* turning_axis(const JointType& type) {
  if (const auto* revolute = std::get_if<Revolute>(&type)) return &revolute->axis;
  if (const auto* continuous = std::get_if<Continuous>(&type)) return &continuous->axis;
  return nullptr;
}

// Where the goal wants its point, in the world; false for goals that place no point.
bool target_point(const Goal& goal, const State& state, Vec3& point) {
  int base = kWorld;
  if (const auto* position = std::get_if<PositionGoal>(&goal)) {
    point = position->target;
    base = position->base;
  } else if (const auto* pose = std::get_if<PoseGoal>(&goal)) {
    point = pose->target.translation;
    base = pose->base;
  } else {
    return false;
  }
  if (base != kWorld) point = state.X_WL[at(base)] * point;
  return true;
}

bool at_bound(double q, double bound) {
  return std::isfinite(bound) && std::abs(q - bound) <= 1e-12 * (1.0 + std::abs(bound));
}

}  // namespace

void Stack::evaluate(const double* q) {
  const Model& m = model();
  if (static_cast<int>(links_.size()) == m.link_count()) {
    forward(m, q, state);
  } else {
    forward_links(m, q, links_, state);
  }
  converged_ = true;
  for (std::size_t g = 0; g < problem_->goals.size(); ++g) {
    const int first = first_row_[g];
    const Goal& goal = problem_->goals[g];
    GoalResidual& residual = residuals_[g];
    if (first < 0) {
      residual = {0.0, 0.0, true};
      continue;
    }
    if (const PositionGoal* plain = plain_position(goal)) {
      const Vec3 e = plain->target - state.X_WL[at(plain->link)] * plain->point;
      error.segment<3>(first) = row_scale_[first] * e;
      residual.position_error = e.norm();
      if (!std::isfinite(residual.position_error)) residual.position_error = e.stableNorm();
      residual.orientation_error = 0.0;
      residual.reached = residual.position_error <= (plain->tolerance > 0.0 ? plain->tolerance : tolerance);
      converged_ = converged_ && residual.reached;
      continue;
    }
    GoalRows& rows = goal_rows_[g];
    int count = row_count(goal, m);
    if (std::holds_alternative<PostureGoal>(goal)) {
      armature::evaluate(goal, m, state, error.data() + first, nullptr, first, scratch_);
    } else {
      linearize(goal, state, rows);
      count = rows.rows;
      std::copy_n(rows.error.begin(), count, error.data() + first);
    }
    double lengths = 0.0;
    double angles = 0.0;
    for (int r = 0; r < count; ++r) {
      (is_angle_row(goal, m, r) ? angles : lengths) += error[first + r] * error[first + r];
      error[first + r] *= row_scale_[first + r];
    }
    residual.position_error = std::sqrt(lengths);
    residual.orientation_error = std::sqrt(angles);
    if (!std::isfinite(lengths)) {  // the squares overflow before the error does
      const int turns = angles > 0.0 ? 0 : count;
      residual.position_error =
          error.segment(first, std::max(turns, std::min(count, 3))).stableNorm() / row_scale_[first];
    }
    const double own = common(goal).tolerance;
    const bool angular = std::holds_alternative<OrientationGoal>(goal) || std::holds_alternative<AimGoal>(goal) ||
                         std::holds_alternative<PostureGoal>(goal);
    double angle_tolerance = angular && own > 0.0 ? own : orientation_tolerance;
    if (const auto* pose = std::get_if<PoseGoal>(&goal); pose != nullptr && pose->orientation_tolerance > 0.0) {
      angle_tolerance = pose->orientation_tolerance;
    }
    residual.reached =
        residual.position_error <= (own > 0.0 ? own : tolerance) && residual.orientation_error <= angle_tolerance;
    converged_ = converged_ && residual.reached;
  }
}

void Stack::add_goal_columns(const GoalRows& rows, int first) {
  const Model& m = model();
  Vec6 twists[kMaxJointVelocities];
  for (int k = 0; k < rows.links; ++k) {
    const Vec3& point = rows.at[at(k)];
    const auto& wrench = rows.wrench[at(k)];
    for (int i = rows.link[at(k)]; i != kWorld; i = m.parent(i)) {
      const ModelJoint& joint = m.joint(i);
      if (joint.v_count == 0) continue;
      const Transform& X = state.X_WL[at(i)];
      const Vec3 lever = point - X.translation;
      double value = 0.0;
      const double* q = state.q.data() + joint.q_index;
      if (joint.mimic) {
        value = joint.multiplier * q[0] + joint.offset;
        q = &value;
      }
      joint_twists(joint.type, q, twists);
      for (int d = 0; d < joint.v_count; ++d) {
        const int c = column_of_[at(joint.v_index + d)];
        if (c < 0) continue;
        const Vec3 w = joint.multiplier * (X.rotation * twists[d].tail<3>());
        Vec6 twist;
        twist << joint.multiplier * (X.rotation * twists[d].head<3>()) + w.cross(lever), w;
        for (int r = 0; r < rows.rows; ++r) J(first + r, c) += row_scale_[first + r] * wrench.row(r).dot(twist);
      }
    }
  }
}

void Stack::differentiate(bool at_goal) {
  const Model& m = model();
  J.setZero();
  for (std::size_t g = 0; g < problem_->goals.size(); ++g) {
    const int first = first_row_[g];
    const Goal& goal = problem_->goals[g];
    if (first < 0) continue;
    if (std::holds_alternative<PostureGoal>(goal)) {
      VecX& ignored = error;  // evaluate() writes the errors again, unscaled
      armature::evaluate(goal, m, state, ignored.data() + first, &posture_rows_, first, scratch_);
      for (int r = first; r < first + m.v_size(); ++r) {
        error[r] *= row_scale_[r];
        for (int c = 0; c < columns(); ++c) J(r, c) = row_scale_[r] * posture_rows_(r, active[at(c)]);
      }
      continue;
    }
    if (const PositionGoal* plain = plain_position(goal)) {
      const Vec3 point = at_goal ? plain->target : Vec3(state.X_WL[at(plain->link)] * plain->point);
      Vec6 twists[kMaxJointVelocities];
      for (int i = plain->link; i != kWorld; i = m.parent(i)) {
        const ModelJoint& joint = m.joint(i);
        if (joint.v_count == 0) continue;
        const Transform& X = state.X_WL[at(i)];
        const double factor = row_scale_[first] * joint.multiplier;
        const Vec3 away = factor * (point - X.translation);
        if (const Vec3* axis = turning_axis(joint.type)) {  // by far the commonest joints have their own few lines, too
          const int c = column_of_[at(joint.v_index)];
          if (c >= 0) J.col(c).segment<3>(first) += (X.rotation * *axis).cross(away);
          continue;
        }
        if (std::holds_alternative<Spherical>(joint.type)) {
          for (int d = 0; d < 3; ++d) {
            const int c = column_of_[at(joint.v_index + d)];
            if (c >= 0) J.col(c).segment<3>(first) = X.rotation.col(d).cross(away);
          }
          continue;
        }
        const Vec3 lever = X.rotation.transpose() * (point - X.translation);
        double value = 0.0;
        const double* q = state.q.data() + joint.q_index;
        if (joint.mimic) {
          value = joint.multiplier * q[0] + joint.offset;
          q = &value;
        }
        joint_twists(joint.type, q, twists);
        for (int d = 0; d < joint.v_count; ++d) {
          const int c = column_of_[at(joint.v_index + d)];
          if (c < 0) continue;
          const Vec3 v = twists[d].head<3>() + twists[d].tail<3>().cross(lever);
          J.col(c).segment<3>(first) += factor * (X.rotation * v);
        }
      }
      continue;
    }
    GoalRows& rows = goal_rows_[g];
    const std::array<Vec3, kMaxGoalLinks> own = rows.at;
    Vec3 target;
    if (at_goal && target_point(goal, state, target)) rows.at.fill(target);
    add_goal_columns(rows, first);
    rows.at = own;
  }
  for (int c = 0; c < columns(); ++c) A.col(c) = scale[c] * J.col(c);
}

int Stack::drop_blocked(const double* q) {
  int dropped = 0;
  for (int c = 0; c < columns(); ++c) {
    const int i = coordinate_of_[at(c)];
    if (i < 0 || (q[i] > lower_[i] && q[i] < upper_[i])) continue;
    const double push = A.col(c).dot(error);
    if ((push < 0.0 && q[i] <= lower_[i]) || (push > 0.0 && q[i] >= upper_[i])) {
      A.col(c).setZero();
      ++dropped;
    }
  }
  return dropped;
}

void Stack::clamp(double* q) const {
  for (int c = 0; c < columns(); ++c) {
    const int i = coordinate_of_[at(c)];
    if (i >= 0) q[i] = std::max(lower_[i], std::min(upper_[i], q[i]));
  }
}

void Stack::apply(double* q, const VecX& u, double max_step) {
  const Model& m = model();
  double largest = 0.0;
  for (int c = 0; c < columns(); ++c) {
    step[c] = scale[c] * u[c];
    largest = std::max(largest, std::abs(step[c]) / unit_[c]);
  }
  if (!(largest < 1e12)) {  // also NaN: a step that means nothing
    step.setZero();
    return;
  }
  if (max_step > 0.0 && largest > max_step) step *= max_step / largest;
  for (int c = 0; c < columns();) {
    const int i = coordinate_of_[at(c)];
    if (i >= 0) {
      q[i] = std::max(lower_[i], std::min(upper_[i], q[i] + step[c]));
      ++c;
      continue;
    }
    // A quaternion: all of its active columns at once.
    const ModelJoint& joint = m.joint(m.velocity_joint(active[at(c)]));
    const int turn = joint.v_index + joint.v_count - 3;
    Vec3 w = Vec3::Zero();
    for (; c < columns() && active[at(c)] < turn + 3; ++c) w[active[at(c)] - turn] = step[c];
    double* r = q + joint.q_index + joint.q_count - 4;
    Quat turned = Quat(r[3], r[0], r[1], r[2]) * exp_rotation(w);
    const double norm = turned.norm();
    turned = norm > 1e-100 ? Quat(turned.coeffs() / norm) : exp_rotation(w);  // no rotation at all is none
    if (joint.cone) clamp_to_cone(*joint.cone, turned);
    for (int k = 0; k < 4; ++k) r[k] = turned.coeffs()[k];
  }
}

bool Stack::control(const double* q, bool printed, VecX& z) const {
  z.setZero(columns());
  bool any = false;
  double change[kMaxJointVelocities];
  double neutral[kMaxJointCoordinates];
  const auto draw = [&](const VecX& gain, const VecX& rest, double weight) {
    for (int c = 0; c < columns();) {
      const ModelJoint& joint = model().joint(model().velocity_joint(active[at(c)]));
      neutral_coordinates(joint.type, neutral);
      const double* wanted = rest.size() > 0 ? rest.data() + joint.q_index : neutral;
      difference_coordinates(joint.type, wanted, q + joint.q_index, change);
      for (; c < columns() && active[at(c)] < joint.v_index + joint.v_count; ++c) {
        const double g = weight * (gain.size() > 0 ? gain[active[at(c)]] : 1.0);
        const double away = change[active[at(c)] - joint.v_index];
        if (g != 0.0) any = true;
        z[c] += g * (printed ? away * away : away) / scale[c];
      }
    }
  };
  if (problem_->gain.size() > 0) draw(problem_->gain, problem_->rest, 1.0);
  for (const Goal& goal : problem_->goals) {
    if (!is_preference(goal)) continue;
    const auto& posture = std::get<PostureGoal>(goal);
    if (posture.weight > 0.0) draw(posture.gain, posture.desired, posture.weight);
  }
  return any;
}

void Stack::finish(const double* q, Report& report) {
  report.goals = residuals_;
  for (std::size_t g = 0; g < report.goals.size(); ++g) {  // preferences have no rows, but their distance is told
    const Goal& goal = problem_->goals[g];
    if (!is_preference(goal) || common(goal).weight <= 0.0) continue;
    std::copy(q, q + model().q_size(), state.q.begin());
    armature::evaluate(goal, model(), state, preference_error_.data(), nullptr, 0, scratch_);
    double lengths = 0.0;
    double angles = 0.0;
    for (int r = 0; r < model().v_size(); ++r) {
      const double e = preference_error_[r];
      (is_angle_row(goal, model(), r) ? angles : lengths) += e * e;
    }
    report.goals[g].position_error = std::sqrt(lengths);
    report.goals[g].orientation_error = std::sqrt(angles);
  }
  report.position_error = 0.0;
  report.orientation_error = 0.0;
  for (const GoalResidual& residual : residuals_) {
    report.position_error = std::max(report.position_error, residual.position_error);
    report.orientation_error = std::max(report.orientation_error, residual.orientation_error);
  }
  report.joints_at_limits.clear();
  report.blocking.clear();
  for (int i = 0; i < model().q_size(); ++i) {
    if (at_bound(q[i], lower_[i]) || at_bound(q[i], upper_[i])) report.joints_at_limits.push_back(i);
  }
  if (!converged_) {
    for (int c = 0; c < columns(); ++c) {
      const int i = coordinate_of_[at(c)];
      if (i < 0) continue;
      const double push = scale[c] * J.col(c).dot(error);
      if ((push < 0.0 && at_bound(q[i], lower_[i])) || (push > 0.0 && at_bound(q[i], upper_[i]))) {
        report.blocking.push_back(i);
      }
    }
  }
  const Dexterity measures = dexterity(J);
  report.smallest_singular_value = measures.smallest_singular_value;
  report.manipulability = measures.manipulability;
  report.condition = measures.condition;
}

void Stack::record(Trace& trace, const double* q, const VecX& rows_error, double damping, bool with_jacobian) const {
  const Model& m = model();
  TraceStep entry;
  entry.q = Eigen::Map<const VecX>(q, m.q_size());
  entry.error = rows_error;
  entry.error_norm = rows_error.norm();
  entry.step = VecX::Zero(m.v_size());
  for (int c = 0; c < columns(); ++c) entry.step[active[at(c)]] = step[c];
  entry.damping = damping;
  if (with_jacobian) {
    entry.J = MatX::Zero(rows(), m.v_size());
    for (int c = 0; c < columns(); ++c) entry.J.col(active[at(c)]) = J.col(c);
    Svd svd;
    svd.compute(J);
    entry.singular_values = svd.s();
  }
  trace.steps.push_back(std::move(entry));
}

Dexterity dexterity_of(const Problem& problem, const Report& report, const VecX& q) {
  const bool measured = report.smallest_singular_value > 0.0 || report.condition > 0.0;
  if (measured || report.outcome == Outcome::refused || !q.allFinite() || !check_problem(problem).ok()) {
    const double largest =
        measured && std::isfinite(report.condition) ? report.condition * report.smallest_singular_value : 0.0;
    return {report.smallest_singular_value, largest, report.manipulability, report.condition};
  }
  Stack stack;
  stack.prepare(problem, CommonOptions{});
  stack.evaluate(q.data());
  stack.differentiate();
  return dexterity(stack.J);
}

}  // namespace armature
