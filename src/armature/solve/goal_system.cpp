#include "armature/solve/goal_system.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"

namespace armature {
namespace {

// Rotation vector's chord, 2 sin(angle/2) along the axis of R_target R': as good a direction as the vector itself and
// much cheaper (REACH: 1 % more iterations). Near half a turn, where it loses its direction, the vector.
Vec3 rotation_error(const Mat3& R, const Mat3& target) {
  const Mat3 E = target * R.transpose();
  const double trace = 1.0 + E.trace();  // 4 cos^2(angle/2)
  if (trace < 1e-6) return log_rotation(E);
  return Vec3(E(2, 1) - E(1, 2), E(0, 2) - E(2, 0), E(1, 0) - E(0, 1)) / std::sqrt(trace);
}

}  // namespace

void GoalSystem::evaluate(const double* q) {
  branches_.forward(q, state_);
  for (Level& level : levels_) {
    level.energy = 0.0;
    level.reached = true;
  }
  reached_ = true;
  energy_ = 0.0;
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    const Task& task = tasks_[t];
    const Goal& goal = problem_->goals[at(task.goal)];
    double* e = error.data() + task.first_row;
    double lengths = 0.0;  // squared norms, unscaled
    double angles = 0.0;
    const auto place = [&](int link, const Vec3& point, const Vec3& target) {
      const Vec3 p = state_.X_WL[at(link)] * point;
      rows_[t].at[0] = p;
      const Vec3 d = target - p;
      lengths = d.squaredNorm();
      for (int i = 0; i < 3; ++i) e[i] = task.length_scale * d[i];
    };
    const auto turn = [&](int link, const Mat3& target, double* rows) {
      const Vec3 d = rotation_error(state_.X_WL[at(link)].rotation, target);
      angles = d.squaredNorm();
      for (int i = 0; i < 3; ++i) rows[i] = task.angle_scale * d[i];
    };
    switch (task.kind) {
      case Kind::position: {
        const auto& g = std::get<PositionGoal>(goal);
        place(g.link, g.point, g.target);
        break;
      }
      case Kind::orientation: {
        const auto& g = std::get<OrientationGoal>(goal);
        turn(g.link, g.target.normalized().toRotationMatrix(), e);
        break;
      }
      case Kind::pose: {
        const auto& g = std::get<PoseGoal>(goal);
        place(g.link, g.point, g.target.translation);
        turn(g.link, g.target.rotation, e + 3);
        break;
      }
      case Kind::wrenches: {
        linearize(goal, state_, rows_[t]);
        for (int r = 0; r < task.rows; ++r) {
          const bool angle = is_angle_row(goal, *model_, r);
          const double value = rows_[t].error[at(r)];
          (angle ? angles : lengths) += value * value;
          e[r] = (angle ? task.angle_scale : task.length_scale) * value;
        }
        break;
      }
      case Kind::posture: {
        std::copy(q, q + model_->q_size(), state_.q.begin());
        armature::evaluate(goal, *model_, state_, posture_error_.data(), nullptr, 0, scratch_);
        for (int r = 0; r < task.rows; ++r) {
          const bool angle = is_angle_row(goal, *model_, r);
          const double value = posture_error_[at(r)];
          (angle ? angles : lengths) += value * value;
          e[r] = (angle ? task.angle_scale : task.length_scale) * value;
        }
        break;
      }
    }
    GoalResidual& residual = residuals_[at(task.goal)];
    residual.position_error = lengths;  // squared until measure()
    residual.orientation_error = angles;
    residual.reached =
        lengths <= task.tolerance * task.tolerance && angles <= task.orientation_tolerance * task.orientation_tolerance;
    Level& level = levels_[at(task.level)];
    level.reached = level.reached && residual.reached;
    reached_ = reached_ && residual.reached;
    double sum = 0.0;
    for (int r = 0; r < task.rows; ++r) sum += e[r] * e[r];
    level.energy += 0.5 * sum;
    energy_ += 0.5 * sum;
  }
}

void GoalSystem::differentiate() {
  branches_.move(state_);
  dual.clear();
  const std::vector<Motion>& motions = branches_.motions();
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    const Task& task = tasks_[t];
    switch (task.kind) {
      case Kind::position:
      case Kind::pose: {
        const Vec3 from_centre = rows_[t].at[0] - branches_.centre();
        const bool turns = task.kind == Kind::pose;
        for (int n = task.path[0]; n < task.path[1]; ++n) {
          const PathEntry& entry = path_[at(n)];
          const Motion& motion = motions[at(entry.motion)];
          double* J = dual.column(entry.column) + task.first_row;
          const Vec3 v = (task.length_scale * entry.scale) * motion.at(from_centre);
          for (int i = 0; i < 3; ++i) J[i] += v[i];
          if (!turns) continue;
          const Vec3 w = (task.angle_scale * entry.scale) * motion.angular;
          for (int i = 0; i < 3; ++i) J[3 + i] += w[i];
        }
        break;
      }
      case Kind::orientation:
        for (int n = task.path[0]; n < task.path[1]; ++n) {
          const PathEntry& entry = path_[at(n)];
          double* J = dual.column(entry.column) + task.first_row;
          const Vec3 w = (task.angle_scale * entry.scale) * motions[at(entry.motion)].angular;
          for (int i = 0; i < 3; ++i) J[i] += w[i];
        }
        break;
      case Kind::wrenches:
        write_columns(task, rows_[t]);
        break;
      case Kind::posture: {
        // Blocks on the diagonal: the identity, and Jl^-1 of a quaternion's difference, times the root of the gain.
        const auto& goal = std::get<PostureGoal>(problem_->goals[at(task.goal)]);
        for (const Column& column : columns_) {
          const int v = column.velocity;
          const auto root = [&](int i) { return goal.gain.size() == 0 ? 1.0 : std::sqrt(goal.gain[i]); };
          double* J = dual.column(column_of_[at(v)]) + task.first_row;
          if (column.ball < 0) {
            J[v] = root(v) * column.unit * (column.unit != 1.0 ? task.length_scale : task.angle_scale);
            continue;
          }
          const int first = v - column.ball;
          const Quat from = joint_detail::quaternion(state_.q.data() + column.coordinate);
          const Quat to = joint_detail::quaternion(goal.desired.data() + column.coordinate);
          const Mat3 slope = right_jacobian_inverse(log_rotation(from.conjugate() * to)).transpose();
          for (int i = 0; i < 3; ++i) J[first + i] = root(first + i) * task.angle_scale * slope(i, column.ball);
        }
        break;
      }
    }
  }
}

void GoalSystem::write_columns(const Task& task, const GoalRows& rows) {
  const Goal& goal = problem_->goals[at(task.goal)];
  double scale[kMaxGoalRows];
  for (int r = 0; r < task.rows; ++r) scale[r] = is_angle_row(goal, *model_, r) ? task.angle_scale : task.length_scale;
  for (int k = 0; k < task.paths; ++k) {
    const Vec3 from_centre = rows.at[at(k)] - branches_.centre();
    for (int n = task.path[at(k)]; n < task.path[at(k + 1)]; ++n) {
      const PathEntry& entry = path_[at(n)];
      const Motion& motion = branches_.motions()[at(entry.motion)];
      double* J = dual.column(entry.column) + task.first_row;
      const Vec3 v = entry.scale * motion.at(from_centre);
      const Vec3 w = entry.scale * motion.angular;
      for (int r = 0; r < task.rows; ++r) {
        const double* wrench = rows.wrench[at(k)].data() + 6 * r;
        J[r] += scale[r] * (wrench[0] * v[0] + wrench[1] * v[1] + wrench[2] * v[2] + wrench[3] * w[0] +
                            wrench[4] * w[1] + wrench[5] * w[2]);
      }
    }
  }
}

void GoalSystem::measure(const double* q, std::vector<GoalResidual>& out) {
  out.resize(problem_->goals.size());
  std::copy(q, q + model_->q_size(), state_.q.begin());
  for (std::size_t g = 0; g < out.size(); ++g) {
    const Goal& goal = problem_->goals[g];
    out[g] = {0.0, 0.0, residuals_[g].reached};
    // A goal of weight 0 has no place in the branches: its links may not have been computed.
    if (common(goal).weight <= 0.0) continue;
    // Places are known from evaluate(), and rotations as chords, which are as good as angles where they are small.
    const double chord = residuals_[g].orientation_error;  // squared
    if (plain_[g] != 0 && chord < 1.0) {
      out[g].position_error = std::sqrt(residuals_[g].position_error);
      out[g].orientation_error = 2.0 * std::asin(0.5 * std::sqrt(chord));
      continue;
    }
    armature::evaluate(goal, *model_, state_, posture_error_.data(), nullptr, 0, scratch_);
    double lengths = 0.0;
    double angles = 0.0;
    const int rows = row_count(goal, *model_);
    const bool posture = std::holds_alternative<PostureGoal>(goal);
    for (int r = 0; r < rows; ++r) {
      const double e = posture_error_[at(r)];
      (posture ? angle_velocity_[at(r)] != 0 : is_angle_row(goal, *model_, r)) ? angles += e* e : lengths += e * e;
    }
    out[g].position_error = std::sqrt(lengths);
    out[g].orientation_error = std::sqrt(angles);
  }
}

}  // namespace armature
