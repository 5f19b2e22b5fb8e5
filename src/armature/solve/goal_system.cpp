#include "armature/solve/goal_system.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/geom/product.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"

namespace armature::inline v0_2 {
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
  branches_.forward(q, state);
  for (Level& level : levels_) {
    level.energy = 0.0;
    level.reached = true;
  }
  reached_ = true;
  energy_ = 0.0;
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    const Task& task = tasks_[t];
    const CompiledGoal& goal = problem_->goals()[at(task.goal)];
    double* e = error.data() + task.first_row;
    double lengths = 0.0;  // squared norms, unscaled
    double angles = 0.0;
    if (task.plain) {
      const FrameTarget& frame = goal.frame;
      const Transform& X = state.X_WL[at(frame.link)];
      double* turn = e;
      if (frame.position) {
        const Vec3 p = product(X.rotation, frame.point) + X.position;
        rows_[t].at[0] = p;
        const Vec3 d = frame.target.position - p;
        lengths = d.squaredNorm();
        for (int i = 0; i < 3; ++i) e[i] = task.length_scale * d[i];
        turn = e + 3;
      }
      if (frame.orientation) {
        const Vec3 d = exact_rotations ? log_rotation(Mat3(frame.target.rotation * X.rotation.transpose()))
                                       : rotation_error(X.rotation, frame.target.rotation);
        angles = d.squaredNorm();
        for (int i = 0; i < 3; ++i) turn[i] = task.angle_scale * d[i];
      }
    } else {
      const double* rows = posture_error_.data();
      if (goal.posture) {
        evaluate_posture(model_, state, goal.desired, goal.gain, goal.gain_for_all, posture_error_.data(), nullptr, 0);
      } else {
        if (goal.framed) {
          linearize(goal.frame, state, rows_[t]);
        } else if (goal.whole_pose) {
          goal.measure_whole_pose(state, rows_[t]);
        } else {
          linearize(*goal.goal, state, goal.links, rows_[t]);
          // Only a goal of one's own could look at other links than when the columns were laid out: no number is right
          // then.
          if (rows_[t].links != task.paths ||
              !std::equal(task.link.begin(), task.link.begin() + task.paths, rows_[t].link.begin())) {
            rows_[t].error.fill(std::nan(""));
            rows_[t].links = task.paths;
          }
        }
        rows = rows_[t].error.data();
      }
      for (int r = 0; r < task.rows; ++r) {
        const bool angle = problem_->is_angle(goal, r);
        (angle ? angles : lengths) += rows[r] * rows[r];
        e[r] = (angle ? task.angle_scale : task.length_scale) * rows[r];
      }
    }
    GoalResidual& residual = residuals_[at(task.goal)];
    residual.position_error = lengths;  // squared until measure()
    residual.orientation_error = angles;
    residual.reached = lengths <= task.tolerance && angles <= task.turn_tolerance;
    Level& level = levels_[at(task.level)];
    level.reached = level.reached && residual.reached;
    reached_ = reached_ && residual.reached;
    double sum = 0.0;
    for (int r = 0; r < task.rows; ++r) sum += e[r] * e[r];
    level.energy += 0.5 * sum;
    energy_ += 0.5 * sum;
  }
}

void GoalSystem::differentiate(bool at_target) {
  branches_.move(state);
  dual.clear();
  const std::vector<Motion>& motions = branches_.motions();
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    const Task& task = tasks_[t];
    const CompiledGoal& goal = problem_->goals()[at(task.goal)];
    if (task.plain) {
      const FrameTarget& frame = goal.frame;
      const Vec3 from_centre = (at_target ? frame.target.position : rows_[t].at[0]) - branches_.centre();
      Mat3 slope = Mat3::Identity();  // of a rotation vector: d error = -Jr^-1(error) w
      if (exact_rotations && frame.orientation) {
        const double* turn = error.data() + task.first_row + (frame.position ? 3 : 0);
        slope = right_jacobian_inverse(Eigen::Map<const Vec3>(turn) / task.angle_scale);
      }
      for (int n = task.path[0]; n < task.path[1]; ++n) {
        const PathEntry& entry = path_[at(n)];
        const Motion& motion = motions[at(entry.motion)];
        double* J = dual.column(entry.column) + task.first_row;
        if (frame.position) {
          const Vec3 v = (task.length_scale * entry.scale) * motion.at(from_centre);
          for (int i = 0; i < 3; ++i) J[i] += v[i];
          J += 3;
        }
        if (!frame.orientation) continue;
        Vec3 w = (task.angle_scale * entry.scale) * motion.angular;
        if (exact_rotations) w = product(slope, w);
        for (int i = 0; i < 3; ++i) J[i] += w[i];
      }
    } else if (goal.whole_pose) {
      slopes_.resize(task.rows, model_.v_size());
      goal.function->slopes(state, slopes_);
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        double* J = dual.column(static_cast<int>(c)) + task.first_row;
        for (int r = 0; r < task.rows; ++r) {
          const double scale = problem_->is_angle(goal, r) ? task.angle_scale : task.length_scale;
          J[r] = scale * columns_[c].unit * slopes_(r, columns_[c].velocity);
        }
      }
    } else if (!goal.posture) {
      GoalRows& rows = rows_[t];
      const std::array<Vec3, kMaxGoalLinks> own = rows.at;
      if (at_target && goal.framed && goal.frame.position) {
        const Vec3& target = goal.frame.target.position;
        rows.at.fill(goal.frame.base == kWorld ? target : Vec3(state.X_WL[at(goal.frame.base)] * target));
      }
      write_columns(task, rows);
      rows.at = own;
    } else {
      // Blocks on the diagonal: the identity, and Jl^-1 of a quaternion's difference, times the root of the gain.
      const auto root = [&](int i) { return std::sqrt(goal.gain_of(i)); };
      for (const Column& column : columns_) {
        const int v = column.velocity;
        double* J = dual.column(column_of_[at(v)]) + task.first_row;
        if (column.ball < 0) {
          J[v] = root(v) * column.unit * (column.unit != 1.0 ? task.length_scale : task.angle_scale);
          continue;
        }
        const int first = v - column.ball;
        const Quat from = joint_detail::quaternion(state.q.data() + column.coordinate);
        const Quat to = joint_detail::quaternion(goal.desired + column.coordinate);
        const Mat3 slope = right_jacobian_inverse(log_rotation(from.conjugate() * to)).transpose();
        for (int i = 0; i < 3; ++i) J[first + i] = root(first + i) * task.angle_scale * slope(i, column.ball);
      }
    }
  }
}

void GoalSystem::write_columns(const Task& task, const GoalRows& rows) {
  const CompiledGoal& goal = problem_->goals()[at(task.goal)];
  double scale[kMaxGoalRows];
  for (int r = 0; r < task.rows; ++r) scale[r] = problem_->is_angle(goal, r) ? task.angle_scale : task.length_scale;
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

void GoalSystem::measure(CompiledProblem& problem, std::vector<GoalReport>& out) {
  out.resize(problem.goals().size());
  for (std::size_t g = 0; g < out.size(); ++g) {
    const CompiledGoal& goal = problem.goals()[g];
    const GoalResidual& known = residuals_[g];  // squared
    // A place is known from evaluate(), and a rotation as a chord, which is as good as its angle where that is small.
    const bool plain = goal.required && goal.framed && goal.frame.base == kWorld && goal.frame.whole();
    if (plain && (exact_rotations || known.orientation_error < 1.0) && known.position_error < 1e200) {
      const double turn = std::sqrt(known.orientation_error);
      out[g].position_error = std::sqrt(known.position_error);
      out[g].orientation_error = exact_rotations ? turn : 2.0 * math::asin(0.5 * turn);
      out[g].reached = known.reached;
    } else {
      static_cast<GoalResidual&>(out[g]) = problem.measure(goal, state);
      if (goal.required) out[g].reached = known.reached;
    }
  }
}

}  // namespace armature::inline v0_2
