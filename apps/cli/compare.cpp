// `armature compare MODEL`: every method on the same problem, as a table and as a plot of error against iteration.
#include "compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "commands.hpp"
#include "drawing.hpp"
#include "picture.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct CompareOptions : SolveFlags {
  std::string methods;
  std::string svg = "compare.svg";
};

struct Entry {
  std::string method;
  std::string refused;  // why, when it cannot take the problem
  Report report;
  VecX q;
  double microseconds = 0.0;
  bool walks = false;    // from the start pose, step by step; a search begins where it likes
  double path = 0.0;     // of the effector over the iterations
  double largest = 0.0;  // joint step, radians (slides: metres)
  std::vector<double> errors;
};

Entry run(const std::string& method, const SolveFlags& flags, const Problem& problem, const VecX& start, int tip) {
  Entry entry;
  entry.method = method;
  const std::unique_ptr<Solver> solver = solver_of(method, flags, true);
  if (const Status status = solver->check(problem); !status.ok()) {
    entry.refused = status.message();
    return entry;
  }
  const Model& model = *problem.model;
  // The fastest of a few runs: the first one allocates and meets cold caches.
  entry.microseconds = 1e300;
  for (int i = 0; i < 5; ++i) {
    double microseconds = 0.0;
    entry.q = start;
    entry.report = timed_solve(*solver, problem, entry.q, microseconds);
    entry.microseconds = std::min(entry.microseconds, microseconds);
  }
  Trace trace;
  VecX q = start;
  solver->solve(problem, q, &trace);
  State state;
  Vec3 last = Vec3::Zero();
  entry.walks = !trace.steps.empty() && entry.report.restarts == 0 && (trace.steps.front().q - start).isZero(1e-9);
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    entry.errors.push_back(step.error_norm);
    forward(model, step.q, state);
    const Vec3 place = state.X_WL[static_cast<std::size_t>(tip)].translation;
    if (i > 0) {
      entry.path += (place - last).norm();
      const VecX change = difference(model, trace.steps[i - 1].q, step.q);
      if (change.size() > 0) entry.largest = std::max(entry.largest, change.cwiseAbs().maxCoeff());
    }
    last = place;
  }
  return entry;
}

std::vector<Entry> run_all(const std::vector<std::string>& methods, const SolveFlags& flags, const Problem& problem,
                           const VecX& start, int tip) {
  std::vector<Entry> entries;
  for (const std::string& method : methods) entries.push_back(run(method, flags, problem, start, tip));
  return entries;
}

void print_table(const std::vector<Entry>& entries) {
  Table table({"method", "outcome", "iterations", "error", "microseconds", "path", "largest step"});
  for (const Entry& e : entries) {
    if (!e.refused.empty()) continue;
    table.add({e.method, outcome_name(e.report.outcome), std::to_string(e.report.iterations),
               pretty_number(e.report.position_error, 3), fmt::format("{:.1f}", e.microseconds),
               e.walks ? pretty_number(e.path, 4) : "-", e.walks ? pretty_number(e.largest, 3) : "-"});
  }
  fmt::print("{}", table.text(2));
  for (const Entry& e : entries) {
    if (!e.refused.empty()) fmt::print("  {}: {}\n", e.method, printable(e.refused));
  }
}

Svg draw_plot(const std::vector<Entry>& entries, const std::string& title, double tolerance) {
  Svg svg(820, 440, title);
  svg.text(Vec2(70, 28), title, {14.0, ink::kText, "start", true, false, 0.0});
  std::vector<Series> series;
  for (const Entry& e : entries) {
    const bool drawn = std::all_of(e.errors.begin(), e.errors.end(), [](double error) { return error < 1e100; });
    if (e.refused.empty() && drawn) series.push_back({e.method, method_style(e.method), e.errors});
  }
  draw_log_plot(svg, Vec2(70, 46), Vec2(560, 330), series, "distance to the goal", tolerance);
  return svg;
}

double tolerance_of(const SolveFlags& flags, const Model& model) {
  double given = 0.0;
  const auto found = flags.options.find("tolerance");
  if (found != flags.options.end() && parse_value(found->second, given) && given > 0.0) return given;
  return 1e-6 * model.size();
}

std::vector<std::string> methods_of(const std::string& list) {
  if (list.empty()) return solver_names();
  std::vector<std::string> methods = split_list(list);
  for (const std::string& method : methods) need(make_solver(method).status());
  return methods;
}

}  // namespace

void compare_chapter(const std::string& svg_path) {
  const LoadedModel loaded = need(load_model("planar_arm"));
  const int tip = link_of(loaded.model, "tip");
  SolveFlags flags;
  Problem problem = problem_of(loaded.model, flags);
  problem.goals.push_back(parse_goal(loaded.model, tip, kWorld, "-20,5").goal);
  const std::vector<Entry> entries = run_all(solver_names(), flags, problem, start_pose(loaded.model, ""), tip);
  print_table(entries);
  write_output(svg_path, draw_plot(entries, "planar_arm, goal (-20, 5)", tolerance_of(flags, loaded.model)).str());
}

void add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Every method on the same problem: a table and a plot");
  add_solve_flags(*command, *options, "");
  command->add_option("--methods", options->methods, "Only these: a,b,c (default: all)");
  command->add_option("--svg", options->svg, "Where the plot of error against iteration goes; - leaves it out");
  command->footer(
      "Options of methods go to those that have them. The time is the fastest of five solves; path and\n"
      "largest step are those of methods that walk from the start pose to the answer.\n\n"
      "Examples:\n"
      "  armature compare planar_arm --tip tip --goal -20,5\n"
      "  armature compare panda --tip panda_tcp --goal 0.4,0.2,0.5 --methods dls,sdls,ccd,fabrik --svg panda.svg");
  command->callback([options] {
    const LoadedModel loaded = need(load_model(options->model, options->read));
    const Model& model = loaded.model;
    const int tip = tip_of(model, options->tip);
    const GivenGoal given = parse_goal(model, tip, base_of(model, options->base), options->goal);
    Problem problem = problem_of(model, *options);
    problem.goals.push_back(given.goal);
    need(check_problem(problem));
    const std::vector<Entry> entries =
        run_all(methods_of(options->methods), *options, problem, start_pose(model, options->start), tip);
    if (options->svg != "-") {
      const std::string title = fmt::format("{}, goal ({})", model.name(), options->goal);
      write_picture(options->svg, draw_plot(entries, title, tolerance_of(*options, model)));
    }
    if (!options->json) {
      print_table(entries);
      if (options->svg != "-") fmt::print("\nThe plot of error against iteration is in {}.\n", options->svg);
      return;
    }
    Json list = Json::array();
    for (const Entry& e : entries) {
      if (!e.refused.empty()) {
        list.push_back({{"method", e.method}, {"outcome", "refused"}, {"message", e.refused}});
        continue;
      }
      Json json = report_to_json(model, problem, e.report, e.q, e.microseconds);
      json["method"] = e.method;
      json["path_length"] = e.walks ? number_to_json(e.path) : Json(nullptr);
      json["largest_step"] = e.walks ? number_to_json(e.largest) : Json(nullptr);
      json["errors"] = numbers_to_json(e.errors.data(), e.errors.size());
      list.push_back(std::move(json));
    }
    print_json(list);
  });
}

}  // namespace armature::cli
