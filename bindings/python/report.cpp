// Report: how a search ended and the best pose it found, under the names that every surface uses.
#include "report.hpp"

#include <chrono>

#include "armature/base/number.hpp"
#include "armature/scene/report_json.hpp"
#include "armature/solve/measure.hpp"

namespace armature::python {
namespace {

py::list trace_list(const Trace& trace) {
  py::list steps;
  for (const TraceStep& step : trace.steps) {
    steps.append(record(py::dict(py::arg("q") = from_vector(step.q), py::arg("error") = from_vector(step.error),
                                 py::arg("error_norm") = step.error_norm, py::arg("jacobian") = from_matrix(step.J),
                                 py::arg("singular_values") = from_vector(step.singular_values),
                                 py::arg("step") = from_vector(step.step), py::arg("damping") = step.damping)));
  }
  return steps;
}

// The report as JSON has it, with arrays for numbers and infinities that JSON does not know.
py::dict fields_of(Answer& answer) {
  if (!answer.fields.is_none()) return answer.fields;
  JsonText json;
  json.begin_object();
  write_report(json, *answer.problem, answer.report, answer.q, {answer.microseconds, false});
  const py::dict fields = to_python(json.end().text());
  fields["q"] = from_vector(answer.q);
  fields["microseconds"] = answer.microseconds;
  fields["position_error"] = answer.report.position_error;
  fields["orientation_error"] = answer.report.orientation_error;
  if (!fields.contains("reason")) fields["reason"] = "";
  if (!fields.contains("proof")) fields["proof"] = py::none();
  if (!fields.contains("clearance")) fields["clearance"] = py::none();
  if (!fields.contains("collisions")) fields["collisions"] = py::list();
  Measures own;
  if (answer.report.outcome != Outcome::refused) {
    own = measures(*answer.problem, answer.q);
    raise_kept_exception();
  }
  fields["measures"] = measures_record(own);
  answer.fields = fields;
  return fields;
}

std::string text_of(Answer& answer) {
  const py::dict fields = fields_of(answer);
  std::string text = fields["outcome"].cast<std::string>() + "  " + fields["message"].cast<std::string>();
  const Model& model = answer.figure->model;
  for (int i = 0; i < model.q_size(); ++i) {
    text += "\n  " + model.coordinate_name(i) + "  " + pretty_number(answer.q[i], 9);
    if (model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::angle) {
      text += "  (" + pretty_number(answer.q[i] * 180.0 / kPi, 6) + " deg)";
    }
  }
  return text;
}

// The same object again: what was put into words, and the pose.
py::tuple state_of(Answer& answer) { return py::make_tuple(answer.figure, fields_of(answer), answer.trace); }

Answer from_state(const py::tuple& state) {
  if (state.size() != 3) throw PyError("This is not the state of a Report.");
  Answer answer;
  answer.figure = to_figure(state[0], "model");
  if (!PyDict_Check(py::object(state[1]).ptr())) throw PyError("This is not the state of a Report.");
  const py::dict fields = state[1];
  for (const char* key : {"ok", "outcome", "message", "q", "pose", "goals", "measures"}) {
    if (!fields.contains(key)) throw PyError("This is not the state of a Report.");
  }
  const int size = answer.figure->model.q_size();
  const std::vector<double> q = to_numbers(fields["q"], size, "q", "a pose");
  answer.q = Eigen::Map<const VecX>(q.data(), size);
  answer.fields = fields;
  answer.trace = state[2];
  answer.report.outcome = fields["ok"].cast<bool>() ? Outcome::converged : Outcome::stalled;
  return answer;
}

}  // namespace

Answer solve(const FigurePtr& figure, Method& solver, std::shared_ptr<const Problem> problem, const VecX& start,
             bool traced) {
  Answer answer;
  answer.figure = figure;
  Trace trace;
  {
    const py::gil_scoped_release unlocked;
    const auto begin = std::chrono::steady_clock::now();
    answer.report = solver.solve(*problem, start, traced ? &trace : nullptr);
    answer.microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  }
  raise_kept_exception();
  answer.q = answer.report.q;
  answer.problem = std::move(problem);
  if (traced) answer.trace = trace_list(trace);
  return answer;
}

Answer judged(const FigurePtr& figure, std::shared_ptr<const Problem> problem, const Report& report, const VecX& q) {
  Answer answer;
  answer.figure = figure;
  answer.problem = std::move(problem);
  answer.report = report;
  answer.q = q;
  return answer;
}

void bind_report(py::module_& module) {
  py::class_<Answer> type(module, "Report",
                          "How a search ended, and the best pose it found. True when every goal was reached.\n\n"
                          ">>> report = armature.load_model('planar_arm').solve([10, 15], link='tip')\n"
                          ">>> bool(report), report.outcome\n(True, 'converged')");
  type.def_property_readonly(
      "ok", [](const Answer& a) { return a.report.ok(); }, "Every goal was reached.");
  type.def("__bool__", [](const Answer& a) { return a.report.ok(); });
  type.def_property_readonly(
      "q", [](const Answer& a) { return from_vector(a.q); }, "The answer, or the nearest pose found.");
  type.def_property_readonly(
      "model", [](const Answer& a) { return a.figure; }, "Whose pose it is.");
  type.def_readonly(
      "trace", &Answer::trace,
      "With trace=True a list of iterations: q, error, error_norm, jacobian, singular_values, step, damping.");
  const auto field = [&](const char* name, const char* doc) {
    type.def_property_readonly(
        name, [name](Answer& a) { return py::object(fields_of(a)[name]); }, doc);
  };
  field("outcome", "'converged', 'unreachable', 'blocked', 'stalled', 'singular', 'refused', ...");
  field("message", "One or two sentences that a person can act on.");
  field("method", "Which method answered.");
  field("reason", "Why `auto` chose it.");
  field("pose", "The pose by joint: {joint: value or values}.");
  field("position_error", "Largest over the goals, metres.");
  field("orientation_error", "Largest over the goals, radians.");
  field("iterations", "Steps that were taken.");
  field("restarts", "How often the search began again elsewhere.");
  field("microseconds", "What the search took.");
  field("goals", "Each goal: name, type, link, priority, position_error, orientation_error, reached.");
  field("joints_at_limits", "[{joint, coordinate, side}]: coordinates at a limit.");
  field("blocking_joints", "[{joint, coordinate, side}]: limits that keep the error from falling.");
  field("measures", "singular_values, manipulability and condition of the goals' Jacobian at the answer.");
  field("clearance", "Smallest distance, metres, as far as a tenth of the model's size; None unless it was asked.");
  field("collisions", "[{a, b, depth, point_a, point_b}]: what touches.");
  field("proof", "Why nothing can reach it: bound, length, distance; None where that is not proved.");
  type.def(
      "to_dict", [](Answer& a) { return py::dict(fields_of(a).attr("copy")()); },
      with_signature("to_dict(self)", "Everything above in one dict, as the command line's --json has it.").c_str());
  type.def("__str__", &text_of);
  type.def("__repr__", [](Answer& a) {
    const py::dict fields = fields_of(a);
    return "<armature.Report " + fields["outcome"].cast<std::string>() + ": " + fields["message"].cast<std::string>() +
           ">";
  });
  type.def(py::pickle(&state_of, &from_state));
}

}  // namespace armature::python
