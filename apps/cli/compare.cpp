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
  std::vector<std::string> methods;
  std::vector<std::string> out;
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

Entry run(const std::string& method, const Scene& scene, const Problem& problem, int tip) {
  Entry entry;
  entry.method = method;
  const VecX& start = scene.start;
  const std::unique_ptr<Solver> solver = need(make_solver(scene, method, true));
  if (const Status status = solver->check(problem); !status.ok()) {
    entry.refused = status.message();
    return entry;
  }
  const Model& model = problem.model;
  // The fastest of a few runs: the first one allocates and meets cold caches.
  entry.microseconds = 1e300;
  for (int i = 0; i < 5; ++i) {
    double microseconds = 0.0;
    entry.q = start;
    entry.report = timed_solve(*solver, problem, entry.q, microseconds);
    entry.microseconds = std::min(entry.microseconds, microseconds);
  }
  Trace trace;
  solver->solve(problem, start, &trace);
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

std::vector<Entry> run_all(const std::vector<std::string>& methods, const Scene& scene, const Problem& problem) {
  std::vector<Entry> entries;
  const int tip = std::max(0, effector(problem.goals.front(), problem.model));
  for (const std::string& method : methods) entries.push_back(run(method, scene, problem, tip));
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

double tolerance_of(const Scene& scene) {
  NumberWithUnit given;
  for (const auto& [name, text] : scene.options) {
    if (name == "tolerance" && parse_number_with_unit(text, given) && given.value > 0.0) return given.value;
  }
  return 1e-6 * scene.model().size();
}

}  // namespace

void compare_chapter(const std::string& svg_path) {
  SolveFlags flags;
  flags.arguments.model = "planar_arm";
  flags.goal = {"-20,5"};
  const Scene scene = scene_of(flags);
  const std::vector<Entry> entries = run_all(method_names(), scene, make_problem(scene));
  print_table(entries);
  write_output(svg_path, draw_plot(entries, "planar_arm, goal (-20, 5)", tolerance_of(scene)).str());
}

void add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Every method on the same problem: a table and a plot");
  add_solve_flags(*command, *options, "");
  command->add_option("--methods", options->methods, "Only these: a,b,c (default: all)")->delimiter(',');
  command->add_option("-o,--out", options->out, "Output file of the plot of error against iteration: .svg or .png");
  command->footer(
      "Options of methods go to those that have them. The time is the fastest of five solves; path and\n"
      "largest step are those of methods that walk from the start pose to the answer.\n\n"
      "Examples:\n"
      "  armature compare planar_arm --goal -20,5\n"
      "  armature compare panda --goal 0.4,0.2,0.5 --methods dls,sdls,ccd,fabrik -o panda.svg");
  command->callback([options] {
    const Scene scene = scene_with_goals(*options);
    const Problem problem = make_problem(scene);
    need(check_problem(problem));
    for (const std::string& method : options->methods) need(make_method(method).status());
    const std::vector<Entry> entries =
        run_all(options->methods.empty() ? method_names() : options->methods, scene, problem);
    const std::string title = fmt::format("{}, {}", scene.model().name(), fmt::join(goal_names_of(scene), ", "));
    for (const std::string& path : options->out) {
      write_picture(path, draw_plot(entries, title, tolerance_of(scene)));
    }
    if (!options->json) {
      print_table(entries);
      for (const std::string& path : options->out)
        fmt::print("\nThe plot of error against iteration is in {}.\n", path);
      return;
    }
    Json rows = Json::array();
    for (const Entry& e : entries) {
      Json row{{"method", e.method}};
      if (!e.refused.empty()) {
        row["report"] = {{"ok", false}, {"outcome", "refused"}, {"message", e.refused}};
      } else {
        row["report"] = report_to_json(problem, e.report, e.q, {e.microseconds, true, goal_names_of(scene)});
        row["path_length"] = e.walks ? number_to_json(e.path) : Json(nullptr);
        row["largest_step"] = e.walks ? number_to_json(e.largest) : Json(nullptr);
        row["errors"] = numbers_to_json(e.errors.data(), e.errors.size());
      }
      rows.push_back(std::move(row));
    }
    print_answer({{"rows", rows}, {"out", options->out}});
  });
}

}  // namespace armature::cli
