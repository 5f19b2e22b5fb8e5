// What a pose should achieve. Each goal yields rows: an error (target minus actual) and the rows' Jacobian.
//
// To add one: write a struct (kName, the common fields, describe, row_count, linearize) in goal_types.hpp and put its
// name into the Goal list here. Solvers, laws and surfaces follow from the list.
//
// Rows are in units of length or of angle (is_angle_row); solvers scale angle rows by a length so that all compare.
// Convention: e(q (+) v) = e(q) - J v to first order.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/solve/goal_types.hpp"

namespace armature {

/// The GoalTypes list.
using Goal = std::variant<PositionGoal, OrientationGoal, PoseGoal, AimGoal, PointOnLineGoal, PointOnPlaneGoal,
                          DistanceGoal, PostureGoal, PoleGoal, CustomGoal>;

const char* goal_name(const Goal& goal);
/// The types that files and dictionaries can hold: all but goals of one's own, which are code.
std::vector<std::string> goal_names();
/// How reports call it: "position left_hand", or the name of a goal of one's own.
std::string goal_label(const Goal& goal, const Model& model);
/// The type by its name with default fields; the error lists all names.
Result<Goal> goal_from_name(std::string_view name);
const GoalCommon& common(const Goal& goal);
GoalCommon& common(Goal& goal);
int row_count(const Goal& goal, const Model& model);
/// Whether a row is an angle (radians) or a length (metres).
bool is_angle_row(const Goal& goal, const Model& model, int row);
/// The link that the goal moves, or kWorld for goals of no single link (posture).
int effector(const Goal& goal);
/// A posture without a tolerance: it is drawn to in the null space of the other goals, and never required.
bool is_preference(const Goal& goal);
/// Whether it counts in the equations: it has weight, and is no mere preference.
bool has_rows(const Goal& goal);

/// Links exist, numbers are finite, tolerances and weights not negative: or a sentence that says what is wrong.
Status check_goal(const Goal& goal, const Model& model);

/// Errors and derivative of any goal but a posture (which gives 0 rows) at the state.
void linearize(const Goal& goal, const State& state, GoalRows& out);

/// Writes row_count() errors and, unless J is null, as many rows of J (row-major view: J(row, v)). Angle rows in
/// radians. `scratch` is a 6 x v_size matrix for the goal's use.
void evaluate(const Goal& goal, const Model& model, const State& state, double* error, MatX* J, int first_row,
              Jacobian& scratch);

/// Calls the visitor of goal_types.hpp for each field of the goal.
template <class V>
void describe_goal(Goal& goal, V& visitor) {
  std::visit([&](auto& g) { g.describe(visitor); }, goal);
}

}  // namespace armature
