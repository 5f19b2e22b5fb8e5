// What a pose should achieve. Each goal yields rows: an error (target minus actual) and the rows' Jacobian.
//
// To add one: write a struct (kName, its fields and those of every goal, describe, row_count, linearize) in
// goal_types.hpp and put its name into the Goal list here. Solvers, laws and surfaces follow from the list.
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

namespace armature::inline v0_2 {

/// The GoalTypes list.
using Goal = std::variant<PositionGoal, OrientationGoal, PoseGoal, AimGoal, PointOnLineGoal, PointOnPlaneGoal,
                          DistanceGoal, PostureGoal, PoleGoal, CenterOfMassGoal, BalanceGoal, CustomGoal>;

const char* goal_name(const Goal& goal);
/// The types that files and dictionaries can hold: all but goals of one's own, which are code.
std::vector<std::string> goal_names();
/// The type by its name with default fields; the error lists all names.
Result<Goal> goal_from_name(std::string_view name);

/// The fields that every goal has.
struct GoalFields {
  double& weight;
  double& tolerance;
  int& priority;
  bool& preference;
  std::string& name;
};
struct ConstGoalFields {
  const double& weight;
  const double& tolerance;
  const int& priority;
  const bool& preference;
  const std::string& name;
};
GoalFields goal_fields(Goal& goal);
ConstGoalFields goal_fields(const Goal& goal);

/// Its links as indices, or a sentence that says which name or index is wrong. `tip`: the link of goals that name none;
/// empty: the model's effector. A pole's middle and upper link are found where they are left out.
Result<GoalLinks> resolve_links(const Goal& goal, const Model& model, const LinkRef& tip = {});
/// The link that the goal moves, or kWorld for goals of no single link (posture), or whose link does not exist.
int effector(const Goal& goal, const Model& model, const LinkRef& tip = {});
int effector(const Goal& goal, const GoalLinks& links);
/// How reports call it: its name, else "position left_hand".
std::string goal_label(const Goal& goal, const Model& model, const GoalLinks& links);

int row_count(const Goal& goal, const Model& model);
/// Whether a row is an angle (radians) or a length (metres).
bool is_angle_row(const Goal& goal, const Model& model, int row);
/// A posture that is drawn to in the null space of the other goals, and never required: its preference is not switched
/// off, and it has no tolerance. It has no rows.
bool is_preferred_posture(const Goal& goal);
/// Whether it only decides where other goals leave freedom.
bool is_preference(const Goal& goal);
/// Whether it counts in the equations: it has weight, and is no preferred posture.
bool has_rows(const Goal& goal);

/// Numbers are finite, tolerances and weights not negative, links exist: or a sentence that says what is wrong.
Status check_goal(const Goal& goal, const Model& model, const LinkRef& tip = {});
/// The same without a look at the links.
Status check_fields(const Goal& goal, const Model& model);

/// Errors and derivative of any goal but a posture (which gives 0 rows) at the state. Of goals of the whole pose
/// (custom ones that say so, center_of_mass, balance) errors alone.
void linearize(const Goal& goal, const State& state, const GoalLinks& links, GoalRows& out);
/// With its links looked up: for tests and tools. They must exist.
void linearize(const Goal& goal, const State& state, GoalRows& out);

/// Errors of a posture, and unless J is null their slope into as many rows of J.
void evaluate_posture(const Model& model, const State& state, const double* target, const double* gain,
                      double gain_for_all, double* error, MatX* J, int first_row);

/// Writes row_count() errors and, unless J is null, as many rows of J (row-major view: J(row, v)). Angle rows in
/// radians. `scratch` is a 6 x v_size matrix for the goal's use. For tests and tools; a posture needs its target.
void evaluate(const Goal& goal, const Model& model, const State& state, double* error, MatX* J, int first_row,
              Jacobian& scratch);

/// Calls the visitor of goal_types.hpp for each field of the goal.
template <class V>
void describe_goal(Goal& goal, V& visitor) {
  std::visit([&](auto& g) { g.describe(visitor); }, goal);
}

}  // namespace armature::inline v0_2
