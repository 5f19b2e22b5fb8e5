// The law of every solve: forward kinematics of the returned pose gives the claimed errors, goal by goal; the pose is
// finite and inside limits; converged means within tolerance.
#pragma once

#include <algorithm>
#include <cmath>

#include "armature/base/number.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/solver.hpp"
#include "support/choices.hpp"

namespace armature::fuzz {

struct Tolerances {
  double length, angle;
};

inline Tolerances tolerances_of(const Goal& goal, const Model& model, const SolveOptions& options) {
  Tolerances t{options.tolerance > 0.0 ? options.tolerance : 1e-6 * model.size(), options.orientation_tolerance};
  const double own = goal_fields(goal).tolerance;
  if (own > 0.0) {
    const bool angle = std::holds_alternative<OrientationGoal>(goal) || std::holds_alternative<AimGoal>(goal);
    if (angle || std::holds_alternative<PostureGoal>(goal)) t.angle = own;
    if (!angle) t.length = own;
  }
  if (const auto* pose = std::get_if<PoseGoal>(&goal); pose != nullptr && pose->orientation_tolerance > 0.0)
    t.angle = pose->orientation_tolerance;
  return t;
}

inline void check_inside(const Problem& problem, const VecX& q) {
  const Model& model = problem.model;
  demand(q.size() == model.q_size(), "the returned pose has the model's size");
  for (int i = 0; i < model.q_size(); ++i) {
    if (std::isfinite(q[i])) continue;
    context() += "; coordinate " + std::to_string(i) + " of a " +
                 type_name(model.joint(model.coordinate_joint(i)).type) + " joint is " + format_number(q[i]);
    demand(false, "the returned pose is finite");
  }
  VecX clamped = q;
  VecX lower, upper;
  demand(limits_of(problem, lower, upper).ok(), "what is solved has sound limits");
  clamp(model, lower.data(), upper.data(), clamped.data());
  for (int i = 0; i < model.q_size(); ++i) {
    if (std::abs(clamped[i] - q[i]) <= 1e-9 * std::max(1.0, std::abs(q[i]))) continue;
    context() += "; coordinate " + std::to_string(i) + " of a " +
                 type_name(model.joint(model.coordinate_joint(i)).type) + " joint is " + format_number(q[i]) +
                 ", which limits make " + format_number(clamped[i]);
    demand(false, "the returned pose is inside limits");
  }
}

/// The largest length about: what the last bits of errors are measured by.
inline double magnitude(const Model& model, const State& state, const VecX& q) {
  double largest = model.size();
  for (const Transform& frame : state.X_WL) largest = std::max(largest, frame.position.cwiseAbs().maxCoeff());
  for (int i = 0; i < model.q_size(); ++i) {
    if (model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::length)
      largest = std::max(largest, std::abs(q[i]));
  }
  return largest;
}

/// The same of a goal: its point or target may lie far from a small model, and a box or free axes forgive most of that.
inline double magnitude(const Goal& goal) {
  return std::visit(
      [](const auto& g) {
        double largest = 0.0;
        if constexpr (requires { g.point; }) largest = std::max(largest, g.point.cwiseAbs().maxCoeff());
        if constexpr (requires { requires std::is_same_v<std::decay_t<decltype(g.target)>, Vec3>; })
          largest = std::max(largest, g.target.cwiseAbs().maxCoeff());
        if constexpr (requires { g.target.position; })
          largest = std::max(largest, g.target.position.cwiseAbs().maxCoeff());
        if constexpr (requires { g.axes.box; }) largest = std::max(largest, g.axes.box.cwiseAbs().maxCoeff());
        if constexpr (requires { g.position_axes.box; })
          largest = std::max(largest, g.position_axes.box.cwiseAbs().maxCoeff());
        return largest;
      },
      goal);
}

inline void check_law(const Problem& problem, const SolveOptions& options, const VecX& q, const Report& report) {
  if (report.outcome == Outcome::refused) {
    if (!problem.model.empty() && check_problem(problem).ok()) check_inside(problem, q);
    return;
  }
  const Model& model = problem.model;
  check_inside(problem, q);
  State state;
  forward(model, q, state);
  const double size = magnitude(model, state, q);
  if (!(size < 1e100)) return;  // squares overflow
  demand(report.goals.size() == problem.goals.size(), "every goal has its residual");
  Jacobian scratch(6, model.v_size());
  for (std::size_t k = 0; k < problem.goals.size(); ++k) {
    const Goal& goal = problem.goals[k];
    const int rows = row_count(goal, model);
    std::vector<double> error(static_cast<std::size_t>(rows) + 1);
    evaluate(goal, model, state, error.data(), nullptr, 0, scratch);
    double lengths = 0.0, angles = 0.0;
    for (int row = 0; row < rows; ++row) {
      const double e = error[static_cast<std::size_t>(row)];
      (is_angle_row(goal, model, row) ? angles : lengths) += e * e;
    }
    lengths = std::sqrt(lengths);
    angles = std::sqrt(angles);
    if (!(lengths < 1e100) || goal_fields(goal).weight == 0.0) continue;
    const GoalResidual& claimed = report.goals[k];
    context() += "; " + std::string(goal_name(goal)) + " claims " + pretty_number(claimed.position_error) + ", " +
                 pretty_number(claimed.orientation_error) + " and is " + pretty_number(lengths) + ", " +
                 pretty_number(angles);
    // Kernels turn a ball by three hinges; the quaternion that is returned is theirs to some last digits.
    const double slack = 1e-11 * std::max({size, lengths, magnitude(goal)});
    demand(std::abs(claimed.position_error - lengths) <= slack, "the claimed position error is the pose's");
    // The angle of a rotation near half a turn is known to the root of the last bit only.
    demand(claimed.orientation_error == angles ||  // infinite, where gains are huge
               std::abs(claimed.orientation_error - angles) <= (angles > 3.0 ? 1e-6 : 1e-9) * std::max(1.0, angles),
           "the claimed orientation error is the pose's");
    if (!report.ok() || !has_rows(goal) || is_preference(goal)) continue;
    const Tolerances t = tolerances_of(goal, model, options);
    demand(claimed.reached, "converged: every goal is reached");
    demand(lengths <= t.length + slack && angles <= t.angle + 1e-9, "converged means within tolerance");
  }
}

}  // namespace armature::fuzz
