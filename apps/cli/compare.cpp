// `armature compare MODEL`: every method on the same problem, as a table and as a plot of error against iteration.
#include "compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/parallel/compare_targets.hpp"
#include "armature/scene/compare.hpp"
#include "armature/solve/measure.hpp"
#include "commands.hpp"
#include "drawing.hpp"
#include "large_job.hpp"
#include "picture.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct CompareFlags : SolveFlags {
  std::vector<std::string> methods;
  std::vector<std::string> out;
  std::string targets;
  JobFlags job;
};

std::vector<Comparison> run_all(const std::vector<std::string>& methods, const Scene& scene) {
  return need(armature::compare(scene, methods));
}

// "12.3 (11.9 to 13.0)": the median of repeated solves, and the middle half of them.
std::string time_text(const Comparison& row) {
  return fmt::format("{:.1f} ({:.1f} to {:.1f})", row.microseconds, row.fastest, row.slowest);
}

void print_table(const std::vector<Comparison>& entries) {
  Table table({"method", "outcome", "iterations", "error", "microseconds", "path", "largest step"});
  for (const Comparison& e : entries) {
    if (!e.refused.empty()) continue;
    table.add({e.method, outcome_name(e.report.outcome), std::to_string(e.report.iterations),
               pretty_number(e.report.position_error, 3), time_text(e), e.walks ? pretty_number(e.path_length, 4) : "-",
               e.walks ? pretty_number(e.largest_step, 3) : "-"});
  }
  fmt::print("{}", table.text(2));
  for (const Comparison& e : entries) {
    if (!e.refused.empty()) fmt::print("  {}: {}\n", e.method, printable(e.refused));
  }
  const std::string fastest = fastest_method(entries);
  fmt::print("\n  {}\n", fastest.empty() ? "No method is clearly the fastest: the times overlap, or none arrived."
                                         : "Fastest of those that arrived: " + fastest + ".");
}

Svg draw_plot(const std::vector<Comparison>& entries, const std::string& title, double tolerance) {
  Svg svg(820, 440, title);
  svg.text(Vec2(70, 28), title, {14.0, ink::kText, "start", true, false, 0.0});
  std::vector<Series> series;
  for (const Comparison& e : entries) {
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
  return 1e-6 * scene.model.size();
}

// Many targets instead of one problem.
void compare_over_targets(const CompareFlags& flags, const std::vector<std::string>& methods) {
  if (!flags.out.empty()) throw BadInput{"The plot is of one problem; with --targets there is a table alone."};
  const Scene scene = scene_of(flags, flags.targets);
  if (scene.goals.size() > 1) throw BadInput{"--targets are targets of one goal; the scene has several."};
  const Targets targets = need(Targets::open(flags.targets));
  ParallelOptions options;
  options.threads = thread_count(flags.job);
  std::vector<TargetsComparison> rows;
  {
    const StopSignals signals;
    Progress progress("targets");
    options.progress = [&](double fraction) {
      progress.at(fraction);
      return StopSignals::received() == 0;
    };
    Result<std::vector<TargetsComparison>> compared = armature::compare(scene, targets, methods, options);
    if (!compared && StopSignals::received() != 0) quit_interrupted("");
    rows = need(std::move(compared));
  }
  if (flags.json) {
    JsonText json;
    json.begin_object();
    write_comparison(json, rows);
    return print_answer(Json::parse(json.end().text()));
  }
  Table table({"method", "reached", "of", "mean iterations", "largest error", "microseconds", "p99"});
  for (const TargetsComparison& row : rows) {
    if (!row.refused.empty()) continue;
    table.add({row.method, std::to_string(row.reached), std::to_string(row.goals),
               fmt::format("{:.1f}", row.mean_iterations), row.reached > 0 ? pretty_number(row.largest_error, 3) : "-",
               fmt::format("{:.1f} ({:.1f} to {:.1f})", row.microseconds, row.fastest, row.slowest),
               fmt::format("{:.1f}", row.p99)});
  }
  fmt::print("{}", table.text(2));
  for (const TargetsComparison& row : rows) {
    if (!row.refused.empty()) fmt::print("  {}: {}\n", row.method, printable(row.refused));
  }
}

}  // namespace

void compare_chapter(const std::string& svg_path) {
  SolveFlags flags;
  flags.arguments.model = "planar_arm";
  flags.goal = {"-20,5"};
  const Scene scene = scene_of(flags);
  const std::vector<Comparison> entries = run_all(method_names(), scene);
  print_table(entries);
  write_output(svg_path, draw_plot(entries, "planar_arm, goal (-20, 5)", tolerance_of(scene)).str());
}

void add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareFlags>();
  CLI::App* command = app.add_subcommand("compare", "Every method on the same problem: a table and a plot");
  add_solve_flags(*command, *options, "");
  command->add_option("--methods", options->methods, "Only these: a,b,c (default: all)")->delimiter(',');
  command->add_option("-o,--out", options->out, "Output file of the plot of error against iteration: .svg or .png");
  command
      ->add_option("--targets", options->targets,
                   "Over many targets (.jsonl, .csv, .npy, .npz): how many each method reaches, and what a solve costs")
      ->type_name("FILE");
  add_job_flags(*command, options->job, false);
  command->footer(
      "Options of methods go to those that have them. Every method starts from the same pose. Times are\n"
      "medians of repeated solves, with the middle half of them; path and largest step are those of methods that walk\n"
      "from the start pose to the answer. With --targets what is found does not depend on --threads; times are those "
      "of\n"
      "a machine on which so many threads are at work.\n\n"
      "Examples:\n"
      "  armature compare planar_arm --goal -20,5\n"
      "  armature compare panda --goal 0.4,0.2,0.5 --methods dls,sdls,ccd,fabrik -o panda.svg\n"
      "  armature compare panda --targets grasps.csv --threads 2 --json");
  command->callback([options] {
    if (!options->targets.empty()) {
      return compare_over_targets(*options, options->methods.empty() ? method_names() : options->methods);
    }
    if (options->job.threads >= 0) throw BadInput{"--threads is for many targets: --targets FILE."};
    const Scene scene = scene_with_goals(*options);
    const Problem problem = make_problem(scene);
    need(check_problem(problem));
    for (const std::string& method : options->methods) need(make_solver(method).status());
    const std::vector<Comparison> entries =
        run_all(options->methods.empty() ? method_names() : options->methods, scene);
    std::string title = scene.model.name();
    for (const GoalReport& goal : measure(problem, scene.start).goals) title += ", " + goal.name;
    for (const std::string& path : options->out) {
      write_picture(path, draw_plot(entries, title, tolerance_of(scene)));
    }
    if (!options->json) {
      print_table(entries);
      for (const std::string& path : options->out)
        fmt::print("\nThe plot of error against iteration is in {}.\n", path);
      return;
    }
    JsonText json;
    json.begin_object();
    write_comparison(json, scene, entries);
    Json answer = Json::parse(json.end().text());
    answer["out"] = options->out;
    print_answer(answer);
  });
}

}  // namespace armature::cli
