// How a problem's goals are laid out as rows and columns: everything that depends on the problem's shape alone.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/solve/goal_system.hpp"

namespace armature {
namespace {

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
  ++layout_;
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
  angle_velocity_.assign(at(model.v_size()), 1);
  for (int v = 0; v < model.v_size(); ++v) {
    const ModelJoint& joint = model.joint(model.velocity_joint(v));
    angle_velocity_[at(v)] = coordinates(joint.type)[at(v - joint.v_index)] != Coordinate::length;
  }
  plain_.assign(goals.size(), 0);
  for (const Task& task : tasks_) {
    plain_[at(task.goal)] = task.kind != Kind::wrenches && task.kind != Kind::posture;
  }
  posture_error_.resize(at(std::max(model.v_size(), kMaxGoalRows)));
  residuals_.assign(goals.size(), {});
  for (GoalResidual& residual : residuals_) residual.reached = true;
}

}  // namespace armature
