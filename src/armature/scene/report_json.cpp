#include "armature/scene/report_json.hpp"

#include <cmath>

#include "armature/scene/goal_json.hpp"
#include "armature/scene/measure.hpp"
#include "armature/scene/pose_text.hpp"

namespace armature {
namespace {

// [{"joint", "coordinate", "side"}]: coordinates at a bound. A ball joint is limited as a whole, by its cone.
void write_contacts(JsonText& json, const Problem& problem, const VecX& q, const std::vector<int>& coordinates) {
  const Model& model = *problem.model;
  json.begin_array();
  for (const int i : coordinates) {
    const ModelJoint& joint = model.joint(model.coordinate_joint(i));
    const bool ball = model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::quaternion;
    const double lower = (problem.lower.size() > 0 ? problem.lower : model.lower())[i];
    const double upper = (problem.upper.size() > 0 ? problem.upper : model.upper())[i];
    const bool low = std::abs(q[i] - lower) <= std::abs(q[i] - upper);
    json.begin_object().member("joint", joint.name).member("coordinate", i - joint.q_index);
    json.member("side", ball ? "cone" : low ? "lower" : "upper").end();
  }
  json.end();
}

void write_goals(JsonText& json, const Problem& problem, const Report& report, const std::vector<std::string>& names) {
  const Model& model = *problem.model;
  json.begin_array();
  for (std::size_t g = 0; g < problem.goals.size() && g < report.goals.size(); ++g) {
    const Goal& goal = problem.goals[g];
    json.begin_object().member("name", g < names.size() ? names[g] : name_of_goal(model, goal));
    json.member("type", goal_name(goal));
    if (effector(goal) != kWorld) json.member("link", model.link_name(effector(goal)));
    json.member("priority", common(goal).priority);
    json.member("position_error", report.goals[g].position_error);
    json.member("orientation_error", report.goals[g].orientation_error);
    if (is_preferred_only(goal)) {
      json.member("preference", true);
    } else {
      json.member("reached", report.goals[g].reached);
    }
    json.end();
  }
  json.end();
}

}  // namespace

void write_collisions(JsonText& json, const Problem& problem, const std::vector<Touch>& collisions) {
  json.begin_array();
  for (const Touch& touch : collisions) {
    json.begin_object().member("a", touching_a(problem, touch)).member("b", touching_b(problem, touch));
    json.member("depth", touch.depth);
    json.key("point_a").numbers(touch.point_a).key("point_b").numbers(touch.point_b).end();
  }
  json.end();
}

std::string name_of_goal(const Model& model, const Goal& goal) {
  std::string name = goal_name(goal);
  if (const auto* custom = std::get_if<CustomGoal>(&goal); custom != nullptr && !custom->name.empty()) {
    return custom->name;
  }
  return effector(goal) == kWorld ? name : name + " " + model.link_name(effector(goal));
}

void write_report(JsonText& json, const Problem& problem, const Report& report, const VecX& q, const ReportText& text) {
  json.member("ok", report.ok()).member("outcome", outcome_name(report.outcome));
  json.member("message", explain(problem, report)).member("method", report.method);
  if (*report.why != '\0') json.member("reason", report.why);
  json.key("q").numbers(q).key("pose");
  write_pose(json, *problem.model, q);
  json.member("position_error", report.position_error).member("orientation_error", report.orientation_error);
  json.member("iterations", report.iterations).member("restarts", report.restarts);
  json.member("microseconds", std::round(text.microseconds * 1000.0) / 1000.0).key("goals");
  write_goals(json, problem, report, text.names);
  json.key("joints_at_limits");
  write_contacts(json, problem, q, report.joints_at_limits);
  json.key("blocking_joints");
  write_contacts(json, problem, q, report.blocking);
  if (text.measures && report.outcome != Outcome::refused) {
    const Measures own = measures(problem, q);
    json.key("measures").begin_object().key("singular_values").numbers(own.singular_values);
    json.member("manipulability", own.manipulability).member("condition", own.condition).end();
  }
  if (problem.avoids_collisions() && report.outcome != Outcome::refused) {
    json.member("clearance", report.clearance).key("collisions");
    write_collisions(json, problem, report.collisions);
  }
  if (report.bound != ReachBound::none) {
    json.key("proof").begin_object().member("bound", bound_name(report.bound));
    json.member("length", report.bound_length).member("distance", report.goal_distance).end();
  }
}

void write_trace(JsonText& json, const Trace& trace) {
  json.begin_array();
  for (const TraceStep& step : trace.steps) {
    json.begin_object().key("q").numbers(step.q).key("error").numbers(step.error);
    json.member("error_norm", step.error_norm).key("jacobian").matrix(step.J);
    json.key("singular_values").numbers(step.singular_values).key("step").numbers(step.step);
    json.member("damping", step.damping).end();
  }
  json.end();
}

}  // namespace armature
