#include "armature/scene/explain_step.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/base/number.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/kinematics/velocity.hpp"
#include "armature/scene/goal_json.hpp"
#include "armature/scene/report_json.hpp"
#include "armature/scene/step_terms.hpp"
#include "armature/solve/pose_rows.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kNoise = 1e-13;    // of the largest number in a table: rounding
constexpr double kSingular = 1e-7;  // of the largest singular value

void drop_noise(MatX& M) {
  const double least = M.size() > 0 ? kNoise * M.cwiseAbs().maxCoeff() : 0.0;
  M = (M.array().abs() < least).select(0.0, M);
}

// v_x, v_y, v_z of the axes that count, then w_x, w_y, w_z; other goals number their rows.
std::vector<std::string> row_names(const CompiledGoal& goal) {
  std::vector<std::string> names;
  const auto add = [&](const char* letter, const Axes& axes) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (!axes.free[k]) names.push_back(std::string(letter) + "_" + "xyz"[k]);
    }
  };
  if (goal.framed && goal.frame.position) add("v", goal.frame.position_axes);
  if (goal.framed && goal.frame.orientation) add("w", goal.frame.orientation_axes);
  if (static_cast<int>(names.size()) == goal.rows) return names;
  names.clear();
  for (int r = 0; r < goal.rows; ++r) names.push_back(std::string(goal_name(*goal.goal)) + "_" + std::to_string(r + 1));
  return names;
}

void add_rows(const CompiledProblem& compiled, const Stack& stack, const TraceStep& entry, ExplainedStep& out) {
  out.rows.resize(static_cast<std::size_t>(entry.error.size()));
  for (std::size_t g = 0; g < compiled.goals().size(); ++g) {
    const CompiledGoal& goal = compiled.goals()[g];
    const int first = goal.required ? stack.first_row(static_cast<int>(g)) : -1;
    if (first < 0) continue;
    const std::vector<std::string> names = row_names(goal);
    for (int r = 0; r < goal.rows && first + r < entry.error.size(); ++r) {
      StepRow& row = out.rows[static_cast<std::size_t>(first + r)];
      row.name = names[static_cast<std::size_t>(r)];
      row.goal = compiled.identity(g).name;
      row.angle = compiled.is_angle(goal, r);
      if (row.angle) out.rotation_weight = compiled.length();
    }
  }
  for (Eigen::Index r = 0; r < entry.error.size(); ++r) {
    StepRow& row = out.rows[static_cast<std::size_t>(r)];
    row.error = row.wanted = entry.error[r];
  }
}

void add_columns(const CompiledProblem& compiled, const TraceStep& entry, const TraceStep* next, ExplainedStep& out) {
  const Model& model = compiled.model();
  const VecX change = next != nullptr && !out.leads_anew ? difference(model, entry.q, next->q) : entry.step;
  for (int v = 0; v < model.v_size(); ++v) {
    const ModelJoint& joint = model.joint(model.velocity_joint(v));
    const int k = v - joint.v_index;
    const int scalars = joint.q_count == joint.v_count ? joint.q_count : joint.q_count - 4;
    StepColumn column;
    column.name = velocity_name(model, v);
    column.joint = joint.name;
    column.has_value = k < scalars;
    if (column.has_value) {
      const int i = joint.q_index + k;
      column.slides = model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::length;
      column.before = entry.q[i];
    }
    column.asked = entry.step[v];
    column.step = change[v];
    if (std::abs(column.asked - column.step) > 1e-9 * (1.0 + std::abs(column.asked))) {
      column.limit = "cone";
      if (column.has_value) {
        const bool up = column.asked > column.step;
        column.limit = up ? "upper" : "lower";
        column.bound = (up ? compiled.upper() : compiled.lower())[joint.q_index + k];
      }
    }
    out.columns.push_back(std::move(column));
  }
}

// Where the first goal's point is, for how far it moved.
Vec3 place_of(const Problem& problem, const VecX& q) {
  State state;
  forward(problem.model, q, state);
  const int link = problem.goals.empty() ? kWorld : effector(problem.goals.front(), problem.model, problem.tip);
  if (link == kWorld) return Vec3::Zero();
  Vec3 point = Vec3::Zero();
  if (const auto* p = std::get_if<PositionGoal>(&problem.goals.front())) point = p->point;
  if (const auto* p = std::get_if<PoseGoal>(&problem.goals.front())) point = p->point;
  return state.X_WL[static_cast<std::size_t>(link)] * point;
}

std::string shown(double x) { return pretty_number(x, 4); }

/// Why no joint moves, where none does.
std::string why_still(const ExplainedStep& step) {
  const bool moves = std::any_of(step.columns.begin(), step.columns.end(), [](const StepColumn& column) {
    return column.scale != 0.0 || column.asked != 0.0 || column.step != 0.0;
  });
  if (moves || step.columns.empty() || step.J.size() == 0) return "";
  if (step.J.isZero(0.0)) return " No joint moves " + (step.link.empty() ? std::string("the goals") : step.link) + ".";
  return " No joint can move: those that would help stand at their limits or are locked.";
}

std::string step_message(const Problem& problem, const TraceStep& entry, const TraceStep* next,
                         const ExplainedStep& step) {
  if (step.last) {
    return step.iteration == 0 ? "Nothing to do: already at the goal, or no step is possible."
                               : "The search ended here with an error of " + shown(step.error) + ".";
  }
  std::string text;
  if (step.singular) {
    const auto zero = (step.singular_values.array() <= kSingular * step.singular_values.maxCoeff()).count();
    text += "The pose is singular: " + std::to_string(zero) + " of the singular values " +
            (zero == 1 ? "is 0, so that no joint moves the goals along that direction. "
                       : "are 0, so that no joint moves the goals along those directions. ");
  }
  if (step.leads_anew && step.next_is_last) return text + "From here the best pose found so far was taken back.";
  if (step.leads_anew) return text + "From here the search began anew with another start pose.";
  const double moved = next != nullptr ? (place_of(problem, next->q) - place_of(problem, entry.q)).norm() : 0.0;
  Eigen::Index lengths = 0;  // rows of the first goal that are lengths
  while (lengths < static_cast<Eigen::Index>(step.rows.size()) && !step.rows[static_cast<std::size_t>(lengths)].angle &&
         step.rows[static_cast<std::size_t>(lengths)].goal == step.rows.front().goal) {
    ++lengths;
  }
  if (lengths > 0 && step.J.size() > 0 && step.reproducible) {
    double asked = 0.0;
    for (Eigen::Index r = 0; r < lengths; ++r)
      asked = math::hypot(asked, step.rows[static_cast<std::size_t>(r)].wanted);
    const double promised = (step.J * entry.step).head(lengths).norm();
    text += "V asks " + step.link + " to move by " + shown(asked) + "; the linear model promises " + shown(promised) +
            " for this step";
    if (step.step_limit < 1.0)
      text += ", which the largest step of a joint cut to " + shown(step.step_limit) + " of its size";
    text += ". It moved by " + shown(moved) +
            (std::abs(moved - promised) > 0.02 * std::max(moved, promised) ? ", since joints turn along arcs" : "");
  } else if (!step.link.empty()) {
    text += step.link + " moved by " + shown(moved);
  }
  if (!text.empty()) text += "; ";
  if (shown(step.error_after) == shown(step.error)) {
    text += "the error stayed at " + shown(step.error) + ".";
  } else {
    text += "the error " + std::string(step.error_after < step.error ? "fell" : "rose") + " from " + shown(step.error) +
            " to " + shown(step.error_after) + ".";
  }
  text += why_still(step);
  std::string stopped;
  int count = 0;
  for (const StepColumn& column : step.columns) {
    if (*column.limit == '\0') continue;
    if (++count <= 3) stopped += (stopped.empty() ? "" : ", ") + column.name;
  }
  if (count > 3) stopped += " and " + std::to_string(count - 3) + " more";
  if (count > 0) text += " " + stopped + (count == 1 ? " stops at its limit." : " stop at their limits.");
  return text;
}

}  // namespace

Report solve_traced(Method& solver, const Problem& problem, VecX& q, Trace& trace) {
  const Model& model = problem.model;
  VecX start = q, lower, upper;
  if (q.size() == model.q_size() && limits_of(problem, lower, upper).ok()) {
    clamp_start(model, lower.data(), upper.data(), start.data());
  }
  Trace own;
  const Report report = solver.solve(problem, q, &own);
  q = report.q;
  trace.steps.clear();
  if (report.outcome == Outcome::refused) return report;
  const auto entry_at = [&](const VecX& pose) {
    TraceStep entry;
    entry.q = pose;
    PoseRows rows(problem, pose, solver.common_options());
    if (rows.ok) {
      Trace one;
      rows.stack.step.setZero(rows.stack.columns());
      rows.stack.record(one, pose.data(), 0.0, true);
      entry = std::move(one.steps.front());
    }
    entry.step = VecX::Zero(model.v_size());
    return entry;
  };
  if (own.steps.empty() || own.steps.front().q != start) trace.steps.push_back(entry_at(start));
  for (TraceStep& step : own.steps) trace.steps.push_back(std::move(step));
  if ((trace.steps.back().q - q).lpNorm<Eigen::Infinity>() > 1e-12 * (1.0 + q.lpNorm<Eigen::Infinity>())) {
    trace.steps.push_back(entry_at(q));
  }
  trace.steps.back().step = VecX::Zero(model.v_size());
  return report;
}

bool began_anew(const Model& model, const Trace& trace, int i) {
  if (i <= 0) return false;
  const TraceStep& last = trace.steps[static_cast<std::size_t>(i) - 1];
  const VecX change = difference(model, last.q, trace.steps[static_cast<std::size_t>(i)].q);
  const double slack = 1e-6 * (1.0 + change.lpNorm<Eigen::Infinity>());
  // Limits may shorten a step, never turn it around or lengthen it.
  for (Eigen::Index v = 0; v < change.size(); ++v) {
    if (model.joint(model.velocity_joint(static_cast<int>(v))).cone) continue;
    const double asked = v < last.step.size() ? last.step[v] : 0.0;
    const bool within = asked >= 0.0 ? change[v] >= -slack && change[v] <= asked + slack
                                     : change[v] <= slack && change[v] >= asked - slack;
    if (!within) return true;
  }
  return false;
}

ExplainedStep explain_step(const Problem& problem, const Method& solver, const Trace& trace, int index) {
  const TraceStep& entry = trace.steps[static_cast<std::size_t>(index)];
  const TraceStep* next = static_cast<std::size_t>(index) + 1 < trace.steps.size()
                              ? &trace.steps[static_cast<std::size_t>(index) + 1]
                              : nullptr;
  const Model& model = problem.model;
  ExplainedStep out;
  out.method = solver.info().name;
  out.label = solver.info().label;
  out.iteration = index;
  out.last = next == nullptr;
  out.restarted = began_anew(model, trace, index);
  out.leads_anew = next != nullptr && began_anew(model, trace, index + 1);
  out.next_is_last = static_cast<std::size_t>(index) + 2 == trace.steps.size();
  out.q = entry.q;
  out.J = entry.J;
  drop_noise(out.J);
  out.singular_values = entry.singular_values;
  out.error = entry.error_norm;
  out.error_after = next != nullptr ? next->error_norm : entry.error_norm;
  out.damping = entry.damping;
  PoseRows rows(problem, entry.q, solver.common_options());
  if (!rows.ok) return out;
  add_rows(rows.compiled, rows.stack, entry, out);
  add_columns(rows.compiled, entry, next, out);
  if (!out.last && !out.leads_anew) find_step_terms(solver, entry, rows.stack, out);
  for (const Goal& goal : problem.goals) {
    const int link = effector(goal, model, problem.tip);
    if (link == kWorld || !out.link.empty()) continue;
    out.link = model.link_name(link);
    Jacobian J(6, model.v_size());
    State state;
    forward(model, entry.q, state);
    jacobian(model, state, link, Vec3::Zero(), J);
    out.link_jacobian = J;
    drop_noise(out.link_jacobian);
  }
  if (out.singular_values.size() > 0 && out.J.rows() <= out.J.cols()) {
    out.singular = out.singular_values.minCoeff() <= kSingular * out.singular_values.maxCoeff();
  }
  out.message = step_message(problem, entry, next, out);
  return out;
}

void write_step(JsonText& json, const ExplainedStep& step) {
  json.member("method", step.method).member("label", step.label).member("iteration", step.iteration);
  json.member("last", step.last).member("restarted", step.restarted).member("reproducible", step.reproducible);
  if (!step.equation.empty()) json.member("system", step.equation);
  json.member("message", step.message).member("decimals", step.decimals);
  json.key("q").numbers(step.q).key("rows").begin_array();
  for (const StepRow& row : step.rows) {
    json.begin_object().member("name", row.name).member("goal", row.goal).member("angle", row.angle);
    json.member("error", row.error).member("wanted", row.wanted).end();
  }
  json.end().key("columns").begin_array();
  for (const StepColumn& column : step.columns) {
    json.begin_object().member("name", column.name).member("joint", column.joint);
    json.member("unit", column.slides ? "length" : "angle").member("scale", column.scale);
    if (column.z != 0.0) json.member("z", column.z);
    json.member("from_goals", column.from_goals);
    if (column.from_control != 0.0) json.member("from_control", column.from_control);
    json.member("asked", column.asked).member("step", column.step);
    if (column.has_value) json.member("before", column.before);
    if (*column.limit != '\0') json.member("limit", column.limit);
    if (*column.limit != '\0' && column.has_value) json.member("bound", column.bound);
    json.end();
  }
  json.end().key("jacobian").matrix(step.J);
  if (step.rotation_weight > 0.0) json.member("rotation_weight", step.rotation_weight);
  json.key("singular_values").numbers(step.singular_values).member("singular", step.singular);
  json.member("damping", step.damping).member("step_size", step.step_size).member("step_limit", step.step_limit);
  if (step.step_limit < 1.0) json.member("max_step", step.max_step);
  if (step.equation.find("alpha") != std::string::npos) json.member("alpha", step.alpha);
  if (step.gamma != 0.0) json.member("gamma", step.gamma).key("value_limits").numbers(step.value_limits);
  if (!step.turns.empty()) {
    json.key("turns").begin_array();
    for (const StepTurn& turn : step.turns) {
      json.begin_object().member("column", step.columns[static_cast<std::size_t>(turn.column)].name);
      json.member("best", turn.best).member("made", turn.made).end();
    }
    json.end();
  }
  if (step.triangle[2] > 0.0) {
    json.key("triangle").begin_object().member("upper", step.triangle[0]).member("lower", step.triangle[1]);
    json.member("distance", step.triangle[2]).end();
  }
  if (!step.link.empty()) json.member("link", step.link).key("link_jacobian").matrix(step.link_jacobian);
  json.member("error", step.error).member("error_after", step.error_after);
}

}  // namespace armature::inline v0_2
