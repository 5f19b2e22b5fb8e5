// `armature step MODEL`: one iteration explained, so that it can be computed again from what is printed
// (scene/explain_step.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/scene/explain_step.hpp"
#include "commands.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct StepFlags : SolveFlags {
  int iteration = 1;
};

// So many decimals as the step needs; never "-0.000".
std::string fixed(double x, int decimals) {
  if (decimals >= 17) return fmt::format("{:.17g}", x == 0.0 ? 0.0 : x);
  const std::string text = fmt::format("{:.{}f}", x, decimals);
  const bool zero = text.find_first_not_of("-0.") == std::string::npos;
  return zero && text[0] == '-' ? text.substr(1) : text;
}

void print_system(const ExplainedStep& step) {
  const auto number = [&](double x) { return fixed(x, step.decimals); };
  if (!step.equation.empty()) fmt::print("  {}\n", step.equation);
  std::vector<std::string> scalars;
  if (step.damping > 0.0 && step.reproducible) scalars.push_back("lambda = " + number(step.damping));
  if (step.equation.find("alpha") != std::string::npos) scalars.push_back("alpha = " + number(step.alpha));
  if (step.gamma != 0.0) scalars.push_back("gamma = " + number(step.gamma));
  if (step.step_size != 1.0) scalars.push_back("k = " + number(step.step_size));
  if (step.step_limit < 1.0) {
    scalars.push_back(
        fmt::format("s = {} (no joint moves more than {} rad)", number(step.step_limit), number(step.max_step)));
  }
  if (step.rotation_weight > 0.0) {
    scalars.push_back("rotation weight = " + number(step.rotation_weight) + " length per rad, already in the rows w");
  }
  if (step.value_limits.size() > 0) {
    std::vector<std::string> most;
    for (const double limit : step.value_limits) most.push_back(number(limit));
    scalars.push_back(fmt::format("clamp_i = {}", fmt::join(most, " ")));
  }
  for (const std::string& scalar : scalars) fmt::print("    {}\n", scalar);
  if (!step.equation.empty() || !scalars.empty()) fmt::print("\n");
}

void print_rows(const ExplainedStep& step) {
  const auto number = [&](double x) { return fixed(x, step.decimals); };
  const bool clamped =
      std::any_of(step.rows.begin(), step.rows.end(), [](const StepRow& r) { return r.error != r.wanted; });
  const bool several = std::any_of(step.rows.begin(), step.rows.end(),
                                   [&](const StepRow& r) { return r.goal != step.rows.front().goal; });
  std::vector<std::string> header = {"J"};
  for (const StepColumn& column : step.columns) header.push_back(column.name);
  if (clamped) header.push_back("error");
  header.push_back("V");
  if (several) header.push_back("goal");
  Table table(header);
  for (std::size_t r = 0; r < step.rows.size(); ++r) {
    std::vector<std::string> cells = {step.rows[r].name};
    for (std::size_t c = 0; c < step.columns.size(); ++c) {
      cells.push_back(step.J.size() > 0 ? number(step.J(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)))
                                        : "-");
    }
    if (clamped) cells.push_back(number(step.rows[r].error));
    cells.push_back(number(step.rows[r].wanted));
    if (several) cells.push_back(step.rows[r].goal);
    table.add(cells);
  }
  const auto extra = [&](const char* name, auto value) {
    std::vector<std::string> cells = {name};
    for (const StepColumn& column : step.columns) cells.push_back(number(value(column)));
    cells.resize(header.size());
    table.add(cells);
  };
  const auto any = [&](auto test) { return std::any_of(step.columns.begin(), step.columns.end(), test); };
  if (step.reproducible && any([](const StepColumn& c) { return c.scale != 1.0; })) {
    extra("w", [](const StepColumn& c) { return c.scale; });
  }
  if (step.reproducible && any([](const StepColumn& c) { return c.z != 0.0; })) {
    extra("z", [](const StepColumn& c) { return c.z; });
  }
  fmt::print("{}\n", table.text(2));
}

void print_changes(const Model& model, const ExplainedStep& step) {
  const auto number = [&](double x) { return fixed(x, step.decimals); };
  const auto any = [&](auto test) { return std::any_of(step.columns.begin(), step.columns.end(), test); };
  const bool controlled = any([](const StepColumn& c) { return c.from_control != 0.0; });
  const bool stopped = any([](const StepColumn& c) { return *c.limit != '\0'; });
  std::vector<std::string> header = {"joint", "before"};
  if (controlled) header.insert(header.end(), {"from V", "from z"});
  if (stopped) header.insert(header.end(), {"asked", "limit"});
  header.insert(header.end(), {"change", ""});
  Table table(header);
  for (const StepColumn& column : step.columns) {
    std::vector<std::string> cells = {column.name, column.has_value ? number(column.before) : ""};
    if (controlled) {
      cells.push_back(number(column.from_goals));
      cells.push_back(number(column.from_control));
    }
    if (stopped) {
      cells.push_back(number(column.asked));
      cells.push_back(*column.limit == '\0' ? "free"
                      : column.has_value    ? fmt::format("{} {}", column.limit, number(column.bound))
                                            : column.limit);
    }
    cells.push_back(number(column.step));
    cells.push_back(
        column.slides ? "length"
                      : fmt::format("rad, {} deg",
                                    pretty_number(std::abs(column.step) < 1e-12 ? 0.0 : column.step * 180.0 / kPi, 5)));
    table.add(cells);
  }
  fmt::print("{}\n", table.text(2));
  if (!step.turns.empty()) {
    Table turns({"order", "joint", "best turn", "made"});
    int order = 0;
    for (const StepTurn& turn : step.turns) {
      turns.add({std::to_string(++order), step.columns[static_cast<std::size_t>(turn.column)].name,
                 pretty_number(turn.best, 6), pretty_number(turn.made, 6)});
    }
    fmt::print("{}\n", turns.text(2));
  }
  if (step.triangle[2] > 0.0) {
    const double a = step.triangle[0], b = step.triangle[1], d = step.triangle[2];
    const double cosine = std::clamp((a * a + b * b - d * d) / (2.0 * a * b), -1.0, 1.0);
    fmt::print("  triangle: upper part a = {}, lower part b = {}, distance to the target d = {}\n", pretty_number(a, 8),
               pretty_number(b, 8), pretty_number(d, 8));
    fmt::print("  angle between the parts = acos((a^2 + b^2 - d^2) / 2ab) = {} deg\n\n",
               pretty_number(std::acos(cosine) * 180.0 / kPi, 6));
  }
  if (step.link_jacobian.size() > 0 && step.J.size() > 0) {
    std::vector<std::string> names = {"J of " + step.link};
    for (const StepColumn& column : step.columns) names.push_back(column.name);
    Table plain(names);
    for (int r = 0; r < 6; ++r) {
      std::vector<std::string> cells = {std::string(r < 3 ? "v_" : "w_") + "xyz"[r % 3]};
      for (int c = 0; c < model.v_size(); ++c)
        cells.push_back(fixed(step.link_jacobian(r, c), std::min(step.decimals, 6)));
      plain.add(cells);
    }
    fmt::print("{}", plain.text(2));
  }
}

}  // namespace

void add_step(CLI::App& app) {
  auto options = std::make_shared<StepFlags>();
  CLI::App* command = app.add_subcommand("step", "One iteration of a method, explained");
  add_solve_flags(*command, *options, "dls");
  command->add_option("--iteration", options->iteration, "Which iteration to show, from 1")
      ->transform(within(1, 100000));
  command->footer(
      "The printed J, V and scalars give the printed change: J' is the transpose, J+ the pseudoinverse, A = J with\n"
      "column i times w_i (a column with w = 0 is left out), * multiplies entry by entry. Slides are in lengths.\n\n"
      "Examples:\n"
      "  armature step planar_arm --goal -20,5 --method dls --damping 1\n"
      "  armature step planar_arm --goal -20,5 --method pseudoinverse --iteration 3 --json");
  command->callback([options] {
    const Scene scene = scene_with_goals(*options);
    const Problem problem = make_problem(scene);
    Solver solver = need(make_solver(scene, "dls"));
    need(solver->check(problem));
    VecX q = scene.start;
    solver->common_options().max_iterations = options->iteration;
    solver->common_options().keep_best = false;
    Trace trace;
    const Report report = solve_traced(*solver, problem, q, trace);
    const std::size_t asked = static_cast<std::size_t>(options->iteration) - 1;
    const std::size_t index = std::min(asked, trace.steps.size() - 1);
    if (index < asked) {
      add_notes({fmt::format("The method ends after {} iterations; its end is shown.", report.iterations)});
    }
    const ExplainedStep step = explain_step(problem, *solver, trace, static_cast<int>(index));
    if (options->json) {
      JsonText json;
      json.begin_object();
      write_step(json, step);
      Json answer = Json::parse(json.end().text());
      answer["iteration"] = index + 1;
      answer["outcome"] = outcome_name(report.outcome);
      answer["pose"] = pose_to_json(scene.model, step.q);
      print_answer(answer);
      return;
    }
    fmt::print("{}, iteration {}{}\n\n", bold(step.label), index + 1, step.restarted ? ", from a new start" : "");
    print_system(step);
    print_rows(step);
    if (step.singular_values.size() > 0) {
      fmt::print("  singular values of J ");
      const double least = 1e-13 * step.singular_values.maxCoeff();
      for (const double s : step.singular_values) fmt::print(" {}", pretty_number(s < least ? 0.0 : s, 6));
      fmt::print("\n\n");
    }
    print_changes(scene.model, step);
    fmt::print("\n  {}\n", printable(step.message));
  });
}

}  // namespace armature::cli
