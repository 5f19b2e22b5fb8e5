// `armature ik MODEL`: poses that reach goals, one goal or a stream of them.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/kinematics/pose.hpp"
#include "commands.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct IkOptions : SolveFlags {
  std::string goal_file;
};

class Reacher {
 public:
  Reacher(const Model& model, const IkOptions& options)
      : model_(model),
        json_(options.json),
        solver_(solver_of(options.method, options)),
        problem_(problem_of(model, options)),
        start_(start_pose(model, options.start)) {}

  const VecX& start() const { return start_; }
  int missed() const { return missed_; }

  void reach(const GivenGoal& given, VecX q, const std::string& where) {
    problem_.goals.assign(1, given.goal);
    if (const Status status = solver_->check(problem_); !status.ok()) {
      throw BadInput{where.empty() ? status.message() : where + ": " + status.message()};
    }
    double microseconds = 0.0;
    const Report& report = timed_solve(*solver_, problem_, q, microseconds);
    if (!report.ok()) ++missed_;
    if (json_) {
      print_json(report_to_json(model_, problem_, report, q, microseconds), -1);
    } else {
      print_text(report, q, microseconds);
    }
  }

 private:
  void print_text(const Report& report, const VecX& q, double microseconds) const {
    fmt::print("{}  {}\n", bold(outcome_name(report.outcome)), explain(problem_, report));
    Table table({"joint", "value", "degrees"});
    for (int i = 0; i < model_.q_size(); ++i) {
      const bool angle = model_.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::angle;
      table.add({model_.coordinate_name(i), pretty_number(q[i], 9), angle ? pretty_number(q[i] * 180.0 / kPi, 6) : ""});
    }
    fmt::print("{}", table.text(2));
    fmt::print("  {} in {:.1f} us, {} iterations, condition {}\n", report.method, microseconds, report.iterations,
               pretty_number(report.condition, 4));
  }

  const Model& model_;
  bool json_;
  std::unique_ptr<Solver> solver_;
  Problem problem_;
  VecX start_;
  int missed_ = 0;
};

void stream(const Model& model, const IkOptions& options, int tip, int base, Reacher& reacher) {
  const std::string& path = options.goal_file;
  std::ifstream file;
  double total = 0.0;
  if (path != "-") {
    file.open(path, std::ios::binary | std::ios::ate);
    if (!file) throw BadInput{fmt::format("The file {} cannot be opened.", in_quotes(path))};
    total = static_cast<double>(file.tellg());
    file.seekg(0);
  }
  std::istream& in = path == "-" ? std::cin : file;
  Progress progress("goals");
  std::string line;
  double done = 0.0;
  for (int number = 1; std::getline(in, line); ++number) {
    done += static_cast<double>(line.size() + 1);
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = fmt::format("{}, line {}", path == "-" ? "Standard input" : path, number);
    const Json json = parse_json_line(line, where);
    const GivenGoal given = goal_from_json(tip, base, json, where);
    VecX seed = reacher.start();
    if (const auto found = json.find("seed"); found != json.end()) apply_pose_json(model, *found, where, seed);
    reacher.reach(given, seed, where);
    if (total > 0.0) progress.at(done / total);
  }
  if (in.bad()) throw BadInput{fmt::format("The file {} cannot be read to its end.", in_quotes(path))};
}

}  // namespace

void add_ik(CLI::App& app) {
  auto options = std::make_shared<IkOptions>();
  CLI::App* command = app.add_subcommand("ik", "Inverse kinematics: a pose that reaches a goal, by any method");
  add_solve_flags(*command, *options, true);
  command->add_option("--goal-file", options->goal_file,
                      "A file of goals, one JSON object a line: {\"position\": [x,y,z], \"quaternion\": [x,y,z,w], "
                      "\"seed\": {joint: value}}, each part optional; - for standard input");
  command->footer(
      "With --json each goal gives one line {\"outcome\", \"pose\", \"position_error\", \"orientation_error\",\n"
      "\"iterations\", \"microseconds\", ...}. Exit code 0: every goal reached; 1: some were not, and the answer says\n"
      "why; 2: bad input. Lengths are in the model's own unit.\n\n"
      "Examples:\n"
      "  armature ik planar_arm --tip tip --goal -20,5\n"
      "  armature ik planar_arm --tip tip --goal -20,5 --method dls --damping 1\n"
      "  armature ik panda --tip panda_tcp --goal 0.4,0.2,0.5,1,0,0,0 --json\n"
      "  armature ik human --tip left_hand --base chest --goal 0.3,0.3,0.2 --method two_link\n"
      "  armature ik panda --tip panda_tcp --goal-file goals.jsonl --json > answers.jsonl");
  command->callback([options] {
    const LoadedModel loaded = load_model(options->model);
    const int tip = tip_of(loaded.model, options->tip);
    const int base = base_of(loaded.model, options->base);
    if (options->goal.empty() == options->goal_file.empty()) {
      throw BadInput{"One of --goal and --goal-file is needed."};
    }
    Reacher reacher(loaded.model, *options);
    if (!options->goal.empty()) {
      reacher.reach(parse_goal(loaded.model, tip, base, options->goal), reacher.start(), "");
    } else {
      stream(loaded.model, *options, tip, base, reacher);
    }
    if (reacher.missed() > 0) throw Quit{kNotReached};
  });
}

}  // namespace armature::cli
