// What a problem's shape decides: the links, columns and rows of its stacked task.
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/solve/stack.hpp"

namespace armature {
namespace {

// Every link that a goal looks at, by whatever name its type has for it.
template <class F>
void for_each_link(const Goal& goal, F&& f) {
  std::visit(
      [&](const auto& g) {
        if constexpr (requires { g.link; }) f(g.link);
        if constexpr (requires { g.other; }) f(g.other);
        if constexpr (requires { g.base; }) f(g.base);
        if constexpr (requires { g.start; }) {
          f(g.start);
          f(g.middle);
          f(g.end);
        }
      },
      goal);
}

}  // namespace

void Stack::prepare(const Problem& problem, const CommonOptions& options) {
  problem_ = &problem;
  const Model& m = model();
  lower_ = problem.lower.size() > 0 ? problem.lower.data() : m.lower().data();
  upper_ = problem.upper.size() > 0 ? problem.upper.data() : m.upper().data();
  length = 0.25 * m.size();
  tolerance = options.tolerance > 0.0 ? options.tolerance : 1e-6 * m.size();
  orientation_tolerance = options.orientation_tolerance;
  find_links();
  find_columns();
  find_rows(options);
  if (state.model != &m) resize(m, state);
}

void Stack::find_links() {
  const Model& m = model();
  needed_.assign(at(m.link_count()), 0);
  for (const Goal& goal : problem_->goals) {
    if (common(goal).weight <= 0.0) continue;
    // Joints above the lowest link that carries everything the goal looks at move it all alike: they do not matter.
    int carrier = -2;  // none yet
    for_each_link(goal, [&](int link) {
      if (carrier == -2) carrier = link;
      while (carrier != link && carrier != kWorld) {
        if (link > carrier) {
          link = m.parent(link);
        } else {
          carrier = m.parent(carrier);
        }
      }
    });
    for_each_link(goal, [&](int link) {
      for (; link != kWorld && link != carrier; link = m.parent(link)) needed_[at(link)] |= 2;
      for (; link != kWorld; link = m.parent(link)) needed_[at(link)] |= 1;
    });
  }
  links_.clear();
  for (int i = 0; i < m.link_count(); ++i) {
    if (needed_[at(i)] != 0) links_.push_back(i);
  }
}

void Stack::find_columns() {
  const Model& m = model();
  column_of_.assign(at(m.v_size()), -1);
  const auto mark = [&](const ModelJoint& joint) {
    for (int k = 0; k < joint.v_count; ++k) {
      const int v = joint.v_index + k;
      const bool locked = !problem_->locked.empty() && problem_->locked[at(v)] != 0;
      const bool immobile = problem_->mobility.size() > 0 && problem_->mobility[v] <= 0.0;
      if (!locked && !immobile) column_of_[at(v)] = 0;
    }
  };
  for (const int link : links_) {
    if ((needed_[at(link)] & 2) != 0) mark(m.joint(link));
  }
  for (const Goal& goal : problem_->goals) {
    if (!std::holds_alternative<PostureGoal>(goal) || common(goal).weight <= 0.0) continue;
    for (const ModelJoint& joint : m.joints()) mark(joint);
  }
  active.clear();
  coordinate_of_.clear();
  for (int v = 0; v < m.v_size(); ++v) {
    if (column_of_[at(v)] < 0) continue;
    column_of_[at(v)] = static_cast<int>(active.size());
    active.push_back(v);
  }
  const auto n = static_cast<Eigen::Index>(active.size());
  scale.resize(n);
  unit_.resize(n);
  step.setZero(n);
  for (int c = 0; c < columns(); ++c) {
    const int v = active[at(c)];
    const ModelJoint& joint = m.joint(m.velocity_joint(v));
    const int k = v - joint.v_index;
    // Up to the quaternion, if there is one, velocities and coordinates pair off.
    const int scalars = joint.q_count == joint.v_count ? joint.q_count : joint.q_count - 4;
    coordinate_of_.push_back(k < scalars ? joint.q_index + k : -1);
    const bool slides = k < scalars && m.coordinate_kinds()[at(joint.q_index + k)] == Coordinate::length;
    unit_[c] = slides ? length : 1.0;
    scale[c] = unit_[c] * (problem_->mobility.size() > 0 ? problem_->mobility[v] : 1.0);
  }
}

void Stack::find_rows(const CommonOptions&) {
  const std::vector<Goal>& goals = problem_->goals;
  first_row_.assign(goals.size(), -1);
  blocks_.clear();
  residuals_.assign(goals.size(), {});
  goal_rows_.resize(goals.size());
  int count = 0;
  for (std::size_t g = 0; g < goals.size(); ++g) {
    if (!has_rows(goals[g])) continue;
    first_row_[g] = count;
    count += row_count(goals[g], model());
  }
  if (preference_error_.size() != model().v_size()) preference_error_.resize(model().v_size());
  error.setZero(count);
  row_scale_.resize(count);
  J.resize(count, columns());
  A.resize(count, columns());
  for (std::size_t g = 0; g < goals.size(); ++g) {
    if (first_row_[g] < 0) continue;
    const double root = std::sqrt(common(goals[g]).weight);
    const int rows = row_count(goals[g], model());
    bool last = false;
    for (int r = 0; r < rows; ++r) {
      const bool angle = is_angle_row(goals[g], model(), r);
      row_scale_[first_row_[g] + r] = angle ? root * length : root;
      if (r == 0 || angle != last) blocks_.push_back({first_row_[g] + r, 0});
      ++blocks_.back().count;
      last = angle;
    }
    if (std::holds_alternative<PostureGoal>(goals[g])) {
      posture_rows_.resize(count, model().v_size());
      scratch_.resize(6, model().v_size());
    }
  }
}

}  // namespace armature
