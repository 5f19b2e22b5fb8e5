#include "armature/solve/goal_system.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"

namespace armature {
namespace {

bool has_rows(const Goal& goal) { return common(goal).weight > 0.0 && !is_preference(goal); }

// Goals of a place in the world without free axes or boxes: by far the commonest, computed without wrenches.
template <class G>
bool plain(const G& goal) {
  if constexpr (std::is_same_v<G, PositionGoal> || std::is_same_v<G, OrientationGoal>) {
    return goal.base == kWorld && goal.axes.trivial();
  } else if constexpr (std::is_same_v<G, PoseGoal>) {
    return goal.base == kWorld && goal.position_axes.trivial() && goal.orientation_axes.trivial();
  } else {
    return false;
  }
}

// Everything about a goal that the layout depends on: its links, and which rows it has.
struct ShapeWriter {
  std::vector<int>& out;
  void link(const char*, int& v, const char*) { out.push_back(v); }
  void frame(const char*, int& v, const char*) { out.push_back(v); }
  void axes(const char*, AxisMask& v, const char*) {
    out.push_back(int{v.free[0]} + 2 * int{v.free[1]} + 4 * int{v.free[2]} + 8 * int{v.trivial()});
  }
  void whole(const char*, int& v, const char*) { out.push_back(v); }
  template <class T>
  void point(const char*, T&, const char*) {}
  template <class T>
  void direction(const char*, T&, const char*) {}
  template <class T>
  void rotation(const char*, T&, const char*) {}
  template <class T>
  void place(const char*, T&, const char*) {}
  template <class T>
  void number(const char*, T&, const char*) {}
  template <class T>
  void pose(const char*, T&, const char*) {}
  template <class T>
  void gains(const char*, T&, const char*) {}
};

// Rotation vector's chord, 2 sin(angle/2) along the axis of R_target R': as good a direction as the vector itself and
// much cheaper (REACH: 1 % more iterations). Near half a turn, where it loses its direction, the vector.
Vec3 rotation_error(const Mat3& R, const Mat3& target) {
  const Mat3 E = target * R.transpose();
  const double trace = 1.0 + E.trace();  // 4 cos^2(angle/2)
  if (trace < 1e-6) return log_rotation(E);
  return Vec3(E(2, 1) - E(1, 2), E(0, 2) - E(2, 0), E(1, 0) - E(0, 1)) / std::sqrt(trace);
}

}  // namespace

bool GoalSystem::same_shape(const Problem& problem) {
  shape_now_.clear();
  for (const Goal& goal : problem.goals) {
    shape_now_.push_back(static_cast<int>(goal.index()));
    shape_now_.push_back(int{has_rows(goal)});
    ShapeWriter writer{shape_now_};
    describe_goal(const_cast<Goal&>(goal), writer);  // only reads
  }
  return model_ == problem.model && fingerprint_ == problem.model->fingerprint() && shape_ == shape_now_;
}

void GoalSystem::prepare(const Problem& problem, const CommonOptions& options) {
  const bool same = same_shape(problem);
  problem_ = &problem;
  const Model& model = *problem.model;
  length = 0.25 * model.size();
  tolerance = options.tolerance > 0.0 ? options.tolerance : 1e-6 * model.size();
  orientation_tolerance = options.orientation_tolerance;
  if (!same) {
    model_ = &model;
    fingerprint_ = model.fingerprint();
    shape_ = shape_now_;
    lay_out(problem);
  }
  for (Task& task : tasks_) {
    const GoalCommon& goal = common(problem.goals[at(task.goal)]);
    const bool angle = task.kind == Kind::orientation || (task.rows > 0 && task.kind == Kind::wrenches &&
                                                          is_angle_row(problem.goals[at(task.goal)], model, 0));
    task.angle_scale = std::sqrt(goal.weight);
    task.length_scale = task.angle_scale / length;
    const double own = goal.tolerance;
    task.tolerance = own > 0.0 && !angle ? own : tolerance;
    task.orientation_tolerance = own > 0.0 && angle ? own : orientation_tolerance;
    if (const auto* pose = std::get_if<PoseGoal>(&problem.goals[at(task.goal)])) {
      if (own > 0.0) task.tolerance = own;
      task.orientation_tolerance =
          pose->orientation_tolerance > 0.0 ? pose->orientation_tolerance : orientation_tolerance;
    } else if (task.kind == Kind::posture) {
      task.tolerance = task.orientation_tolerance = own;
    }
  }
}

void GoalSystem::lay_out(const Problem& problem) {
  const Model& model = *model_;
  resize(model, state_);
  scratch_.resize(6, model.v_size());
  const std::vector<Goal>& goals = problem.goals;

  // Tasks by priority.
  tasks_.clear();
  for (int g = 0; g < static_cast<int>(goals.size()); ++g) {
    if (!has_rows(goals[at(g)])) continue;
    Task task{};
    task.goal = g;
    tasks_.push_back(task);
  }
  const auto priority = [&](const Task& t) { return common(goals[at(t.goal)]).priority; };
  std::stable_sort(tasks_.begin(), tasks_.end(),
                   [&](const Task& a, const Task& b) { return priority(a) < priority(b); });

  // Links, by linearizing once at any pose: the order of a goal's links never changes.
  for (Transform& X : state_.X_WL) X = Transform{};
  std::vector<int> links;
  rows_.resize(tasks_.size());
  levels_.clear();
  int row = 0;
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    Task& task = tasks_[t];
    const Goal& goal = goals[at(task.goal)];
    task.kind = std::visit(
        [](const auto& g) {
          using G = std::decay_t<decltype(g)>;
          if constexpr (std::is_same_v<G, PostureGoal>) return Kind::posture;
          if (!plain(g)) return Kind::wrenches;
          if constexpr (std::is_same_v<G, PositionGoal>) return Kind::position;
          if constexpr (std::is_same_v<G, OrientationGoal>) return Kind::orientation;
          return Kind::pose;
        },
        goal);
    task.first_row = row;
    task.rows = row_count(goal, model);
    row += task.rows;
    if (levels_.empty() || levels_.back().priority != priority(task)) {
      levels_.push_back({task.first_row, row, priority(task)});
    }
    levels_.back().end = row;
    task.level = static_cast<int>(levels_.size()) - 1;
    linearize(goal, state_, rows_[t]);
    task.paths = rows_[t].links;
    for (int k = 0; k < task.paths; ++k) links.push_back(task.link[at(k)] = rows_[t].link[at(k)]);
  }
  branches_.compile(model, links);

  // Columns: every velocity with a motion on some path (and all of them for a posture with a tolerance), grouped by the
  // tasks that they touch.
  std::vector<std::vector<char>> touches(at(model.v_size()), std::vector<char>(tasks_.size(), 0));
  column_of_.assign(at(model.v_size()), -1);
  path_.clear();
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    Task& task = tasks_[t];
    if (task.kind == Kind::posture) {
      for (auto& touched : touches) touched[t] = 1;
      continue;
    }
    // A goal between links does not see what moves all of its links alike.
    const Goal& goal = goals[at(task.goal)];
    const bool relative = task.paths > 1 && (!std::holds_alternative<PoleGoal>(goal) || task.paths == kMaxGoalLinks);
    std::vector<int> count(branches_.motions().size(), 0);
    for (int k = 0; k < task.paths; ++k) {
      for (int m : branches_.motions_of(task.link[at(k)])) ++count[at(m)];
    }
    for (int k = 0; k < task.paths; ++k) {
      task.path[at(k)] = static_cast<int>(path_.size());
      for (int m : branches_.motions_of(task.link[at(k)])) {
        if (relative && count[at(m)] == task.paths) continue;
        const int v = branches_.velocities()[at(m)];
        touches[at(v)][t] = 1;
        path_.push_back({m, v, 1.0});  // the column is filled in below
      }
    }
    task.path[at(task.paths)] = static_cast<int>(path_.size());
  }
  std::vector<int> order;
  const auto touched = [&](int v) {
    return std::find(touches[at(v)].begin(), touches[at(v)].end(), 1) != touches[at(v)].end();
  };
  for (int v = 0; v < model.v_size(); ++v) {
    // A ball's three velocities stay together: a goal that sees one sees them all.
    if (touched(v)) order.push_back(v);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return touches[at(a)] > touches[at(b)]; });
  columns_.clear();
  for (int v : order) {
    column_of_[at(v)] = static_cast<int>(columns_.size());
    const ModelJoint& joint = model.joint(model.velocity_joint(v));
    const int i = v - joint.v_index;
    const int scalars = joint.q_count == joint.v_count ? joint.q_count : joint.q_count - 4;
    Column column{};
    column.velocity = v;
    column.ball = static_cast<signed char>(i < scalars ? -1 : i - scalars);
    column.coordinate = joint.q_index + (i < scalars ? i : scalars);
    const bool slides = i < scalars && model.coordinate_kinds()[at(column.coordinate)] == Coordinate::length;
    column.unit = slides ? length : 1.0;
    column.turns = !slides && column.ball < 0 && !std::holds_alternative<Helical>(joint.type);
    column.joint = model.velocity_joint(v);
    columns_.push_back(column);
  }
  // A full turn of a joint that others mimic moves those by something else.
  for (const ModelJoint& joint : model.joints()) {
    const int c = joint.mimic ? column_of_[at(joint.v_index)] : -1;
    if (c >= 0) columns_[at(c)].turns = false;
  }
  for (PathEntry& entry : path_) {
    entry.column = column_of_[at(entry.column)];
    entry.scale = columns_[at(entry.column)].unit;
  }
  dual.resize(row, static_cast<int>(columns_.size()));
  error.assign(at(dual.stride()), 0.0);
  std::vector<char> used(at(row), 0);
  for (int begin = 0; begin < columns();) {
    int end = begin;
    const auto& set = touches[at(columns_[at(begin)].velocity)];
    while (end < columns() && touches[at(columns_[at(end)].velocity)] == set) ++end;
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      std::fill_n(used.begin() + tasks_[t].first_row, tasks_[t].rows, set[t]);
    }
    dual.add_group(begin, end, used);
    begin = end;
  }
  posture_error_.resize(at(std::max(model.v_size(), kMaxGoalRows)));
  residuals_.assign(goals.size(), {});
  for (GoalResidual& residual : residuals_) residual.reached = true;
}

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
    armature::evaluate(goal, *model_, state_, posture_error_.data(), nullptr, 0, scratch_);
    double lengths = 0.0;
    double angles = 0.0;
    for (int r = 0; r < row_count(goal, *model_); ++r) {
      const double e = posture_error_[at(r)];
      (is_angle_row(goal, *model_, r) ? angles : lengths) += e * e;
    }
    out[g].position_error = std::sqrt(lengths);
    out[g].orientation_error = std::sqrt(angles);
  }
}

}  // namespace armature
