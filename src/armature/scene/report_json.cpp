#include "armature/scene/report_json.hpp"

#include <cmath>

#include "armature/scene/goal_json.hpp"
#include "armature/scene/pose_text.hpp"
#include "armature/solve/measure.hpp"

namespace armature::inline v0_2 {
namespace {

void write_contacts(JsonText& json, const std::vector<LimitContact>& contacts) {
  json.begin_array();
  for (const LimitContact& contact : contacts) {
    json.begin_object().member("joint", std::string(contact.joint)).member("coordinate", contact.coordinate);
    json.member("side", side_name(contact.side)).end();
  }
  json.end();
}

void write_goals(JsonText& json, const Report& report) {
  json.begin_array();
  for (const GoalReport& goal : report.goals) {
    json.begin_object().member("name", goal.name).member("type", goal.type);
    if (goal.link >= 0) json.member("link", report.model.link_name(goal.link));
    json.member("priority", goal.priority);
    json.member("position_error", goal.position_error).member("orientation_error", goal.orientation_error);
    json.member("reached", goal.reached);
    if (!goal.required) json.member("preference", true);
    json.end();
  }
  json.end();
}

}  // namespace

void write_collisions(JsonText& json, const std::vector<Touch>& collisions) {
  json.begin_array();
  for (const Touch& touch : collisions) {
    json.begin_object().member("a", touch.a).member("b", touch.b);
    json.member("depth", touch.depth);
    json.key("point_a").numbers(touch.point_a).key("point_b").numbers(touch.point_b).end();
  }
  json.end();
}

void write_clear(JsonText& json, const ClearMotion& clear) {
  const auto frames = [&](const char* key, const std::vector<int>& list) {
    json.key(key).begin_array();
    for (const int frame : list) json.value(frame);
    json.end();
  };
  json.begin_object().member("ok", clear.ok()).member("message", clear.message());
  frames("touching", clear.touching);
  frames("left", clear.left);
  frames("gaps", clear.gaps);
  if (clear.deepest >= 0) json.member("deepest", clear.deepest);
  json.key("collisions");
  write_collisions(json, clear.collisions);
  json.member("largest_change", clear.largest_change).end();
}

void write_report(JsonText& json, const Problem& problem, const Report& report, const VecX& q, const ReportText& text) {
  json.member("ok", report.ok()).member("outcome", outcome_name(report.outcome));
  json.member("message", report.message()).member("method", report.method);
  if (*report.reason != '\0') json.member("reason", report.reason);
  json.key("q").numbers(q).key("pose");
  write_pose(json, problem.model, q);
  json.member("position_error", report.position_error).member("orientation_error", report.orientation_error);
  json.member("iterations", report.iterations).member("restarts", report.restarts);
  if (report.answers > 0) json.member("answers", report.answers);
  if (text.microseconds >= 0.0) json.member("microseconds", std::round(text.microseconds * 1000.0) / 1000.0);
  json.key("goals");
  write_goals(json, report);
  json.key("joints_at_limits");
  write_contacts(json, report.joints_at_limits);
  json.key("blocking_joints");
  write_contacts(json, report.blocking_joints);
  if (text.measures && report.outcome != Outcome::refused) {
    const Measures own = measures(problem, q);
    json.key("measures")
        .begin_object()
        .key("singular_values")
        .numbers(own.singular_values.data(), static_cast<Eigen::Index>(own.singular_values.size()));
    json.member("manipulability", own.manipulability).member("condition", own.condition).end();
  }
  if (problem.avoids_collisions() && report.outcome != Outcome::refused) {
    json.member("clearance", report.clearance).key("collisions");
    write_collisions(json, report.collisions);
  }
  if (report.proof) {
    json.key("proof").begin_object().member("bound", bound_name(report.proof->bound));
    json.member("length", report.proof->length).member("distance", report.proof->distance).end();
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

void write_solutions(JsonText& json, const Model& model, const Solutions& all) {
  json.begin_object().key("q").begin_array();
  for (int k = 0; k < all.count(); ++k) json.numbers(all.q.col(k));
  json.end().key("residuals").numbers(all.residuals).member("complete", all.complete);
  std::vector<std::string> names;
  for (const int i : all.singular_joints) names.push_back(model.coordinate_name(i));
  json.key("singular_joints").strings(names).member("class", all.chain_class);
  const auto numbers = [&](const char* key, const std::vector<int>& list) {
    json.key(key).begin_array();
    for (const int number : list) json.value(number);
    json.end();
  };
  numbers("answers", all.answers);
  if (!all.curves.empty()) numbers("curves", all.curves);
  json.end();
}

}  // namespace armature::inline v0_2
