// `armature ik MODEL`: poses that reach goals: one goal, several at once (--goals), or a stream of them (--goal-file).
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/files.hpp"
#include "armature/solve/batch.hpp"
#include "armature/solve/stack.hpp"
#include "commands.hpp"
#include "goals_file.hpp"
#include "line_input.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct IkOptions : SolveFlags {
  std::string goal_file;
  std::string goals;
  std::string pole;
};

// "left_forearm=0.3,1,1": the pole of the limb whose middle is that link and whose end is the tip. The limb starts at
// the nearest link inwards whose origin is another point than the middle's.
PoleGoal parse_pole(const Model& model, int tip, int base, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw BadInput{fmt::format("--pole needs MIDDLE=x,y,z, such as left_forearm=0.3,1,1; not {}.", in_quotes(text))};
  }
  PoleGoal pole;
  pole.middle = link_of(model, text.substr(0, equals));
  pole.end = tip;
  pole.base = base;
  pole.priority = 1;  // the tip comes first
  const std::vector<double> place = parse_numbers(text.substr(equals + 1), "--pole");
  if (place.size() != 3) throw BadInput{fmt::format("--pole needs 3 numbers x,y,z, not {}.", place.size())};
  pole.pole = Vec3(place[0], place[1], place[2]);
  State state;
  forward(model, neutral_pose(model), state);
  const auto place_of = [&](int link) -> const Vec3& { return state.X_WL[static_cast<std::size_t>(link)].translation; };
  bool inside = false;
  for (int link = model.parent(tip); link != kWorld; link = model.parent(link)) inside = inside || link == pole.middle;
  pole.start = pole.middle;
  do {
    pole.start = model.parent(pole.start);
  } while (pole.start != kWorld && (place_of(pole.start) - place_of(pole.middle)).norm() < 1e-9 * model.size());
  if (!inside || pole.start == kWorld) {
    throw BadInput{
        fmt::format("--pole {}: the middle of a limb lies between its first link and the tip {}, with a link "
                    "above it that starts elsewhere.",
                    model.link_name(pole.middle), in_quotes(model.link_name(tip)))};
  }
  return pole;
}

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

  void reach(std::vector<Goal> goals, VecX q, const std::string& where) {
    check(std::move(goals), where);
    double microseconds = 0.0;
    const Report& report = timed_solve(*solver_, problem_, q, microseconds);
    print(report, q, microseconds);
  }

  /// Keeps a goal for answer_kept(), which solves them together.
  void keep(const GivenGoal& given, const VecX& seed, const std::string& where) {
    check({given.goal}, where);
    goals_.push_back(given.goal);
    seeds_.push_back(seed);
    if (goals_.size() == kBatch) answer_kept();
  }
  void answer_kept() {
    const auto count = static_cast<Eigen::Index>(goals_.size());
    poses_.resize(model_.q_size(), count);
    for (Eigen::Index k = 0; k < count; ++k) poses_.col(k) = seeds_[static_cast<std::size_t>(k)];
    const auto begin = std::chrono::steady_clock::now();
    batch_.solve(*solver_, problem_, goals_, poses_, reports_);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
    for (Eigen::Index k = 0; k < count; ++k) {
      problem_.goals.assign(1, goals_[static_cast<std::size_t>(k)]);
      print(reports_[static_cast<std::size_t>(k)], poses_.col(k), spent.count() / static_cast<double>(count));
    }
    goals_.clear();
    seeds_.clear();
  }

 private:
  static constexpr std::size_t kBatch = 1024;

  void check(std::vector<Goal> goals, const std::string& where) {
    problem_.goals = std::move(goals);
    if (const Status status = solver_->check(problem_); !status.ok()) {
      throw BadInput{where.empty() ? status.message() : where + ": " + status.message()};
    }
  }
  void print(const Report& report, const VecX& q, double microseconds) {
    if (!report.ok()) ++missed_;
    if (json_) {
      Json json = report_to_json(model_, problem_, report, q, microseconds);
      if (problem_.goals.size() > 1) json["goals"] = residuals_to_json(model_, problem_, report);
      print_json(json, -1);
    } else {
      print_text(report, q, microseconds);
    }
  }
  void print_text(const Report& report, const VecX& q, double microseconds) const {
    fmt::print("{}  {}\n", bold(outcome_name(report.outcome)), printable(explain(problem_, report)));
    Table table({"joint", "value", "degrees"});
    for (int i = 0; i < model_.q_size(); ++i) {
      const bool angle = model_.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::angle;
      table.add({model_.coordinate_name(i), pretty_number(q[i], 9), angle ? pretty_number(q[i] * 180.0 / kPi, 6) : ""});
    }
    if (problem_.goals.size() > 1) print_goals(report);
    fmt::print("{}", table.text(2));
    fmt::print("  {} in {:.1f} us, {} iteration{}, condition {}\n", report.method, microseconds, report.iterations,
               report.iterations == 1 ? "" : "s", pretty_number(dexterity_of(problem_, report, q).condition, 4));
  }

  void print_goals(const Report& report) const {
    Table table({"goal", "of", "priority", "length error", "angle error", "reached"});
    for (std::size_t g = 0; g < problem_.goals.size(); ++g) {
      const Goal& goal = problem_.goals[g];
      const GoalResidual residual = g < report.goals.size() ? report.goals[g] : GoalResidual{};
      table.add({goal_name(goal), effector(goal) == kWorld ? "" : model_.link_name(effector(goal)),
                 std::to_string(common(goal).priority), pretty_number(residual.position_error, 4),
                 pretty_number(residual.orientation_error, 4),
                 is_preference(goal) ? "preference"
                 : residual.reached  ? "yes"
                                     : "no"});
    }
    fmt::print("{}\n", table.text(2));
  }

  const Model& model_;
  bool json_;
  std::unique_ptr<Solver> solver_;
  Problem problem_;
  VecX start_;
  int missed_ = 0;
  Batch batch_;
  std::vector<Goal> goals_;
  std::vector<VecX> seeds_;
  MatX poses_;
  std::vector<Report> reports_;
};

void stream(const Model& model, const IkOptions& options, int tip, int base, Reacher& reacher) {
  try {
    for_each_line(options.goal_file, "goals", [&](const std::string& line, const std::string& where) {
      const Json json = parse_json_line(line, where);
      const GivenGoal given = goal_from_json(tip, base, json, where);
      VecX seed = reacher.start();
      if (const auto found = json.find("seed"); found != json.end()) apply_pose_json(model, *found, where, seed);
      if (options.goal_file == "-") {  // whoever writes into a pipe may wait for each answer
        reacher.reach({given.goal}, seed, where);
      } else {
        reacher.keep(given, seed, where);
      }
    });
  } catch (const BadInput&) {
    reacher.answer_kept();  // what came before the bad line
    throw;
  }
  reacher.answer_kept();
}

}  // namespace

void add_ik(CLI::App& app) {
  auto options = std::make_shared<IkOptions>();
  CLI::App* command = app.add_subcommand("ik", "Inverse kinematics: a pose that reaches a goal, by any method");
  add_solve_flags(*command, *options, default_method());
  command->add_option("--goal-file", options->goal_file,
                      "A file of goals, one JSON object a line: {\"position\": [x,y,z], \"quaternion\": [x,y,z,w], "
                      "\"seed\": {joint: value}}, each part optional; - for standard input");
  command->add_option("--goals", options->goals,
                      "A JSON file of goals to reach together, of any type, with weights, priorities, boxes and free "
                      "axes: [{\"type\": ..., ...}, ...], see docs/goals.md; - for standard input");
  command->add_option("--pole", options->pole,
                      "MIDDLE=x,y,z, beside --goal: the side that the limb's middle link (elbow, knee) should bend to, "
                      "a place in the base's frame");
  command->footer(
      "With --json each goal gives one line {\"outcome\", \"pose\", \"position_error\", \"orientation_error\",\n"
      "\"iterations\", \"microseconds\", ...}; goals reached together also have \"goals\", the errors of each. The "
      "goals\n"
      "of a --goal-file are solved in batches, and share their time. Exit code 0: every goal reached; 1: some were\n"
      "not, and the answer says why; 2: bad input. Lengths are in the model's own unit.\n\n"
      "Examples:\n"
      "  armature ik planar_arm --tip tip --goal -20,5\n"
      "  armature ik planar_arm --tip tip --goal -20,5 --method dls --damping 1\n"
      "  armature ik panda --tip panda_tcp --goal 0.4,0.2,0.5,1,0,0,0 --json\n"
      "  armature ik human --tip left_hand --base left_clavicle --goal 0.3,0.2,0.1 --method two_link\n"
      "  armature ik human --tip left_hand --base chest --goal 0.3,0.3,0.2 --pole left_forearm=0.2,1,-0.5\n"
      "  armature ik human --goals goals.json --lock root\n"
      "  armature ik panda --tip panda_tcp --goal-file goals.jsonl --json > answers.jsonl");
  command->callback([options] {
    const LoadedModel loaded = need(load_model(options->model, options->read));
    const Model& model = loaded.model;
    const int given = int{!options->goal.empty()} + int{!options->goal_file.empty()} + int{!options->goals.empty()};
    if (given == 0) throw BadInput{"One of --goal, --goals and --goal-file is needed."};
    if (given > 1) throw BadInput{"Only one of --goal, --goals and --goal-file can be given."};
    if (!options->pole.empty() && options->goal.empty()) {
      throw BadInput{
          "--pole goes with --goal; in a goals file a pole is a goal of its own: {\"type\": \"pole\", ...}."};
    }
    if (!options->goals.empty()) {
      if (!options->tip.empty() || !options->base.empty()) {
        throw BadInput{"--tip and --base do not go with --goals: each goal of the file names its own links."};
      }
      Reacher reacher(model, *options);
      const std::string name = options->goals == "-" ? "Standard input" : options->goals;
      Result<std::vector<Goal>> goals = read_goals(model, need(read_file(options->goals)));
      if (!goals.ok()) throw BadInput{name + ": " + goals.message()};
      if (goals->empty()) throw BadInput{name + ": The list of goals is empty."};
      reacher.reach(std::move(goals).value(), reacher.start(), name);
      if (reacher.missed() > 0) throw Quit{kNotReached};
      return;
    }
    const int tip = tip_of(model, options->tip);
    const int base = base_of(model, options->base);
    Reacher reacher(model, *options);
    if (!options->goal.empty()) {
      std::vector<Goal> goals{parse_goal(model, tip, base, options->goal).goal};
      if (!options->pole.empty()) goals.emplace_back(parse_pole(model, tip, base, options->pole));
      reacher.reach(std::move(goals), reacher.start(), "");
    } else {
      stream(model, *options, tip, base, reacher);
    }
    if (reacher.missed() > 0) throw Quit{kNotReached};
  });
}

}  // namespace armature::cli
