#include "armature/scene/compare.hpp"

#include <algorithm>
#include <chrono>

#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/explain_step.hpp"
#include "armature/scene/report_json.hpp"

namespace armature::inline v0_2 {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Clocks of browsers tick in tenths of milliseconds: as many solves as fill a tick many times over are timed together,
// eleven times.
void measure_time(Method& solver, const Problem& problem, const VecX& start, double seconds, Comparison& row) {
  constexpr int kRounds = 11;
  const auto solves = [&](int count) {
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < count; ++i) solver.solve(problem, start);
    return seconds_since(begin);
  };
  int count = 1;
  double once = solves(count);
  while (once * kRounds < seconds && count < 1 << 16) {
    count *= 2;
    once = solves(count);
  }
  std::vector<double> times = {1e6 * once / count};
  const Clock::time_point begin = Clock::now();
  while (static_cast<int>(times.size()) < kRounds && (times.size() < 3 || seconds_since(begin) < 4.0 * seconds)) {
    times.push_back(1e6 * solves(count) / count);
  }
  std::sort(times.begin(), times.end());
  row.fastest = times[times.size() / 4];
  row.microseconds = times[times.size() / 2];
  row.slowest = times[times.size() - 1 - times.size() / 4];
}

void follow_trace(const Trace& trace, const Problem& problem, Comparison& row) {
  const Model& model = problem.model;
  const auto tip = static_cast<std::size_t>(std::max(0, effector(problem.goals.front(), model, problem.tip)));
  row.walks = row.report.restarts == 0;
  State state;
  Vec3 last = Vec3::Zero();
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    row.errors.push_back(trace.steps[i].error_norm);
    forward(model, trace.steps[i].q, state);
    const Vec3 place = state.X_WL[tip].position;
    if (i > 0) {
      row.walks = row.walks && !began_anew(model, trace, static_cast<int>(i));
      row.path_length += (place - last).norm();
      const VecX change = difference(model, trace.steps[i - 1].q, trace.steps[i].q);
      if (change.size() > 0) row.largest_step = std::max(row.largest_step, change.cwiseAbs().maxCoeff());
    }
    last = place;
  }
}

}  // namespace

Result<std::vector<Comparison>> compare(const Scene& scene, const std::vector<std::string>& methods,
                                        const CompareOptions& options) {
  const Problem problem = make_problem(scene);
  if (problem.goals.empty()) return Error{"Methods can be compared once the scene has a goal."};
  std::vector<Comparison> rows;
  VecX start = scene.start.size() > 0 ? scene.start : start_pose(scene.model);
  VecX lower, upper;
  if (const Status status = limits_of(problem, lower, upper); !status) return status.error();
  clamp_start(scene.model, lower.data(), upper.data(), start.data());
  for (const std::string& method : methods) {
    const Result<Solver> solver = make_solver(scene, method, true);
    if (!solver) return solver.error();
    Comparison row;
    row.method = method;
    if (const Status status = (*solver)->check(problem); !status) {
      row.refused = status.message();
      row.report = (*solver)->solve(problem, start);  // which says the same
      row.q = row.report.q;
      rows.push_back(std::move(row));
      continue;
    }
    Trace trace;
    row.q = start;
    row.report = solve_traced(**solver, problem, row.q, trace);
    follow_trace(trace, problem, row);
    row.report = (*solver)->solve(problem, start);  // what a solve without a trace says
    row.q = row.report.q;
    measure_time(**solver, problem, start, options.seconds, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string fastest_method(const std::vector<Comparison>& rows) {
  const Comparison* first = nullptr;
  for (const Comparison& row : rows) {
    const bool reached = row.refused.empty() && row.report.ok();
    if (reached && (first == nullptr || row.microseconds < first->microseconds)) first = &row;
  }
  if (first == nullptr) return "";
  for (const Comparison& row : rows) {
    if (&row != first && row.refused.empty() && row.report.ok() && row.fastest <= first->slowest) return "";
  }
  return first->method;
}

void write_comparison(JsonText& json, const Scene& scene, const std::vector<Comparison>& rows) {
  const Problem problem = make_problem(scene);
  const auto number = [&](const char* key, bool there, double value) {
    json.key(key);
    if (there) {
      json.value(value);
    } else {
      json.raw("null");
    }
  };
  json.key("rows").begin_array();
  for (const Comparison& row : rows) {
    json.begin_object().member("method", row.method).key("report").begin_object();
    if (!row.refused.empty()) {
      json.member("ok", false).member("outcome", "refused").member("message", row.refused).end().end();
      continue;
    }
    write_report(json, problem, row.report, row.q, {row.microseconds, true});
    json.end().key("microseconds").begin_array().value(row.fastest).value(row.microseconds).value(row.slowest).end();
    number("path_length", row.walks, row.path_length);
    number("largest_step", row.walks, row.largest_step);
    json.key("errors").numbers(row.errors.data(), static_cast<Eigen::Index>(row.errors.size())).end();
  }
  json.end().member("fastest", fastest_method(rows));
}

}  // namespace armature::inline v0_2
