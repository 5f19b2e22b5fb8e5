// How a problem's goals are laid out as rows and columns: everything that depends on the problem's shape alone.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/solve/goal_system.hpp"

namespace armature::inline v0_2 {
namespace {

// Which rows a goal has, besides what CompiledGoal says.
struct ShapeWriter {
  std::vector<int>& out;
  void axes(const char*, Axes& v, const char*) {
    out.push_back(int{v.free[0]} + 2 * int{v.free[1]} + 4 * int{v.free[2]} + 8 * int{v.trivial()});
  }
  void whole(const char*, int&, const char*) {}
  void link(const char*, LinkRef&, const char*) {}
  void frame(const char*, LinkRef&, const char*) {}
  void flag(const char*, bool&, const char*) {}
  void text(const char*, std::string&, const char*) {}
  void contacts(const char*, std::vector<Contact>&, const char*) {}
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

bool GoalSystem::same_shape() {
  shape_now_.clear();
  for (const CompiledGoal& goal : problem_->goals()) {
    shape_now_.push_back(static_cast<int>(goal.goal->index()));
    shape_now_.push_back(int{goal.required});
    shape_now_.push_back(goal.rows);
    shape_now_.push_back(goal.priority);
    for (const int link : {goal.links.link, goal.links.base, goal.links.middle, goal.links.upper})
      shape_now_.push_back(link);
    if (const auto* custom = std::get_if<CustomGoal>(goal.goal)) {  // what it looks at only its function knows
      const std::uint64_t address = reinterpret_cast<std::uintptr_t>(custom->function.get());
      shape_now_.push_back(static_cast<int>(address));
      shape_now_.push_back(static_cast<int>(address >> 32));
    }
    ShapeWriter writer{shape_now_};
    describe_goal(const_cast<Goal&>(*goal.goal), writer);  // only reads
  }
  const Model& model = problem_->model();
  return model_ == model && shape_ == shape_now_;
}

void GoalSystem::prepare(const CompiledProblem& problem) {
  problem_ = &problem;
  length = problem.length();
  if (!same_shape()) {
    model_ = problem.model();
    shape_ = shape_now_;
    lay_out();
  }
  for (Task& task : tasks_) {
    const CompiledGoal& goal = problem.goals()[at(task.goal)];
    task.angle_scale = goal.root_weight;
    task.length_scale = task.angle_scale / length;
    // Of a plain frame the chord is summed up.
    const double turn = task.plain && !exact_rotations
                            ? 2.0 * math::sin(0.5 * std::min(goal.orientation_tolerance, kPi))
                            : goal.orientation_tolerance;
    task.tolerance = goal.tolerance * goal.tolerance;
    task.turn_tolerance = turn * turn;
  }
}

void GoalSystem::lay_out() {
  ++layout_;
  const Model& model = model_;
  resize(model, state);
  const std::span<const CompiledGoal> goals = problem_->goals();

  // Tasks by priority.
  tasks_.clear();
  first_row_.assign(goals.size(), -1);
  for (int g = 0; g < static_cast<int>(goals.size()); ++g) {
    if (!goals[at(g)].required) continue;
    Task task{};
    task.goal = g;
    tasks_.push_back(task);
  }
  const auto priority = [&](const Task& t) { return goals[at(t.goal)].priority; };
  std::stable_sort(tasks_.begin(), tasks_.end(),
                   [&](const Task& a, const Task& b) { return priority(a) < priority(b); });

  // Links, by linearizing once at any pose: the order of a goal's links never changes.
  for (Transform& X : state.X_WL) X = Transform{};
  std::vector<int> links;
  rows_.resize(tasks_.size());
  levels_.clear();
  int row = 0;
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    Task& task = tasks_[t];
    const CompiledGoal& goal = goals[at(task.goal)];
    task.plain = goal.framed && goal.frame.base == kWorld && goal.frame.whole();
    task.first_row = first_row_[at(task.goal)] = row;
    task.rows = goal.rows;
    row += task.rows;
    if (levels_.empty() || levels_.back().priority != priority(task)) {
      levels_.push_back({task.first_row, row, priority(task)});
    }
    levels_.back().end = row;
    task.level = static_cast<int>(levels_.size()) - 1;
    rows_[t].links = 0;
    if (!goal.whole_pose) linearize(*goal.goal, state, goal.links, rows_[t]);
    task.paths = rows_[t].links;
    for (int k = 0; k < task.paths; ++k) links.push_back(task.link[at(k)] = rows_[t].link[at(k)]);
  }
  branches_.compile(model, links);

  // Columns: every velocity with a motion on some path (and all of them for a posture with a tolerance and for a goal
  // of the whole pose), grouped by the tasks that they touch.
  std::vector<std::vector<char>> touches(at(model.v_size()), std::vector<char>(tasks_.size(), 0));
  column_of_.assign(at(model.v_size()), -1);
  path_.clear();
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    Task& task = tasks_[t];
    if (goals[at(task.goal)].posture || goals[at(task.goal)].whole_pose) {
      for (auto& touched : touches) touched[t] = 1;
      continue;
    }
    // A goal between links does not see what moves all of its links alike.
    const Goal& goal = *goals[at(task.goal)].goal;
    const bool relative = task.paths > 1 && !std::holds_alternative<CustomGoal>(goal) &&
                          (!std::holds_alternative<PoleGoal>(goal) || task.paths == kMaxGoalLinks);
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
    column.turns = column.ball < 0 && turn_repeats(joint.type, i);
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

}  // namespace armature::inline v0_2
