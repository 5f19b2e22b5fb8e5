// What a pose should achieve. Each goal yields rows: an error (target minus actual) and the rows' Jacobian.
//
// To add one: write a struct (kName, the common fields, describe, rows, evaluate) in goal_types.hpp and put its name
// into the Goal list here. Solvers, laws and surfaces follow from the list.
//
// Rows are in units of length or of angle (row_kinds); solvers scale angle rows by a length so that all compare.
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
                          DistanceGoal, PostureGoal, PoleGoal>;

inline constexpr int kMaxGoalRows = 6;  // of every goal but posture, which has one row per velocity

const char* goal_name(const Goal& goal);
const GoalCommon& common(const Goal& goal);
GoalCommon& common(Goal& goal);
int row_count(const Goal& goal, const Model& model);
/// The link that the goal moves, or kWorld for goals of no single link (posture).
int effector(const Goal& goal);

/// Links exist, numbers are finite, tolerances and weights not negative: or a sentence that says what is wrong.
Status check_goal(const Goal& goal, const Model& model);

/// Writes row_count() errors and, unless J is null, as many rows of J (row-major view: J(row, v)). Angle rows in
/// radians. `scratch` is a 6 x v_size matrix for the goal's use.
void evaluate(const Goal& goal, const Model& model, const State& state, double* error, MatX* J, int first_row,
              Jacobian& scratch);

}  // namespace armature
