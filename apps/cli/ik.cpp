// `armature ik MODEL`: a pose that reaches one goal or several at once, or a stream of targets (--targets).
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/scene/measure.hpp"
#include "armature/scene/targets.hpp"
#include "armature/solve/batch.hpp"
#include "commands.hpp"
#include "ik_all.hpp"
#include "motion_input.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct IkOptions : SolveFlags {
  AllOptions every;
  std::string targets;
  bool trace = false;
};

void print_goals(const Problem& problem, const Report& report, const std::vector<std::string>& names) {
  Table table({"goal", "type", "priority", "length error", "angle error", "reached"});
  for (std::size_t g = 0; g < problem.goals.size(); ++g) {
    const Goal& goal = problem.goals[g];
    const GoalResidual residual = g < report.goals.size() ? GoalResidual(report.goals[g]) : GoalResidual{};
    table.add({names[g], goal_name(goal), std::to_string(goal_fields(goal).priority),
               pretty_number(residual.position_error, 4), pretty_number(residual.orientation_error, 4),
               is_preference(goal) ? "preference"
               : residual.reached  ? "yes"
                                   : "no"});
  }
  fmt::print("{}\n", table.text(2));
}

void print_text(const Problem& problem, const Report& report, const VecX& q, double microseconds,
                const std::vector<std::string>& names) {
  const Model& model = problem.model;
  fmt::print("{}  {}\n", bold(outcome_name(report.outcome)), printable(report.message()));
  if (problem.goals.size() > 1) print_goals(problem, report, names);
  Table table({"joint", "value", "degrees"});
  for (int i = 0; i < model.q_size(); ++i) {
    const bool angle = model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::angle;
    table.add({model.coordinate_name(i), pretty_number(q[i], 9), angle ? pretty_number(q[i] * 180.0 / kPi, 6) : ""});
  }
  fmt::print("{}", table.text(2));
  fmt::print("  {} in {:.1f} us, {} iteration{}, condition {}\n", report.method, microseconds, report.iterations,
             report.iterations == 1 ? "" : "s", pretty_number(measures(problem, q).condition, 4));
}

void print_trace(const Trace& trace) {
  Table table({"iteration", "error", "largest step", "damping"});
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    const double largest = step.step.size() > 0 ? step.step.cwiseAbs().maxCoeff() : 0.0;
    table.add({std::to_string(i), pretty_number(step.error_norm, 4), pretty_number(largest, 4),
               pretty_number(step.damping, 4)});
  }
  fmt::print("\n{}", table.text(2));
}

bool reach(const IkOptions& options) {
  const Scene scene = scene_with_goals(options);
  Solver solver = need(make_solver(scene));
  const Problem problem = make_problem(scene);
  need(solver->check(problem));
  const std::vector<std::string> names = goal_names_of(scene);
  VecX q = scene.start;
  double microseconds = 0.0;
  const Report& report = timed_solve(*solver, problem, q, microseconds);
  const bool ok = report.ok();
  Json json = report_to_json(problem, report, q, {microseconds, true, names});
  if (!options.json) print_text(problem, report, q, microseconds, names);
  if (options.trace) {
    Trace trace;
    solver->solve(problem, scene.start, &trace);
    if (!options.json) print_trace(trace);
    JsonText text;
    write_trace(text, trace);
    json["trace"] = Json::parse(text.text());
  }
  if (options.json) print_answer(json, ok);
  return ok;
}

// A stream of targets. Those of a regular file are solved in batches and share their time; whoever writes into a pipe
// may wait for each answer.
class Streamer {
 public:
  Streamer(const IkOptions& options, Scene& scene)
      : scene_(scene), json_(options.json), solver_(need(make_solver(scene))), problem_(make_problem(scene)) {
    for (const auto& [name, text] : scene.options) measures_ = measures_ || (name == "measures" && text == "true");
  }

  void run(const std::string& path) {
    TargetReader reader(path, scene_);
    need(reader.open());
    Progress progress("targets");
    try {
      Target target;
      while (need(reader.next(target))) {
        problem_.goals.assign(1, target.goal);
        if (const Status status = solver_->check(problem_); !status.ok()) {
          throw BadInput{target.where + ": " + status.message()};
        }
        kept_.push_back(std::move(target));
        if (reader.fraction() == 0.0 || kept_.size() == kBatch) answer();
        if (reader.fraction() > 0.0) progress.at(reader.fraction());
      }
    } catch (const BadInput&) {
      answer();  // what came before the bad line
      throw;
    }
    answer();
    add_notes(scene_.notes);
    summary();
  }
  bool all_reached() const { return reached_ == count_; }

 private:
  static constexpr std::size_t kBatch = 1024;

  void answer() {
    const auto count = static_cast<Eigen::Index>(kept_.size());
    std::vector<Goal> goals;
    poses_.resize(scene_.model().q_size(), count);
    for (Eigen::Index k = 0; k < count; ++k) {
      goals.push_back(kept_[static_cast<std::size_t>(k)].goal);
      poses_.col(k) = kept_[static_cast<std::size_t>(k)].start;
    }
    const auto begin = std::chrono::steady_clock::now();
    if (count > 0) batch_.solve(*solver_, problem_, goals, poses_, reports_);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
    microseconds_ += spent.count();
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      problem_.goals.assign(1, goals[k]);
      print(kept_[k], reports_[k], poses_.col(static_cast<Eigen::Index>(k)),
            spent.count() / static_cast<double>(count));
    }
    kept_.clear();
    std::fflush(stdout);
  }

  void print(const Target& target, const Report& report, const VecX& q, double microseconds) {
    ++count_;
    reached_ += report.ok() ? 1 : 0;
    ++outcomes_[outcome_name(report.outcome)];
    if (!json_) return print_text(problem_, report, q, microseconds, {});
    text_.clear();
    text_.begin_object();
    if (!target.id.empty()) text_.key("id").raw(target.id);
    write_report(text_, problem_, report, q, {microseconds, measures_, {}});
    fmt::print("{}\n", text_.end().text());
  }

  void summary() const {
    const double mean = count_ > 0 ? microseconds_ / count_ : 0.0;
    if (json_) {
      Json json{{"ok", all_reached()}};
      json["summary"] = {
          {"goals", count_}, {"reached", reached_}, {"outcomes", outcomes_}, {"mean_microseconds", mean}};
      print_json(json, -1);
    } else {
      fmt::print("{} of {} reached, {:.1f} us per goal\n", reached_, count_, mean);
    }
  }

  Scene& scene_;
  bool json_;
  bool measures_ = false;
  Solver solver_;
  Problem problem_;
  Batch batch_;
  std::vector<Target> kept_;
  MatX poses_;
  std::vector<Report> reports_;
  std::map<std::string, int> outcomes_;
  JsonText text_;
  double microseconds_ = 0.0;
  int count_ = 0;
  int reached_ = 0;
};

}  // namespace

void add_ik(CLI::App& app) {
  auto options = std::make_shared<IkOptions>();
  CLI::App* command = app.add_subcommand("ik", "Inverse kinematics: a pose that reaches goals, by any method");
  add_solve_flags(*command, *options, "auto");
  command->add_option("--targets", options->targets,
                      "Many targets, one a line: .jsonl {\"id\", \"target\", \"start\"} or .csv x,y,z[,qx,qy,qz,qw]; - "
                      "for standard input");
  command->add_flag("--all", options->every.all,
                    "Every pose that reaches the goal, the nearest to the start first: by analysis where the chain's "
                    "equations are known, else those that a search finds");
  command
      ->add_option("--samples", options->every.samples,
                   "With --all, seven joints: points on each curve of poses (default: the one nearest to the start)")
      ->check(CLI::Range(0, 100000));
  command->add_option("--max-count", options->every.max_count, "With --all: at most so many poses (default: 256)")
      ->check(CLI::Range(1, 256));
  command
      ->add_option("-o,--out", options->every.out,
                   "With --all: a file for the poses, as frames of a motion (.csv, .json, .bvh, ...) or side by side "
                   "(.svg, .png); may be given several times")
      ->type_name("FILE");
  command->add_flag("--trace", options->trace, "Also every iteration: pose, error, Jacobian, singular values, step");
  command->footer(
      "With --json the answer is one object {\"ok\", \"outcome\", \"message\", \"q\", \"pose\", \"goals\", ...}; with\n"
      "--targets one line each, then {\"summary\"}; with --all {\"ok\", \"message\", \"solutions\": {\"q\", "
      "\"residuals\",\n"
      "\"complete\", \"singular_joints\", \"class\"}}. Exit code 0: every goal reached; 1: some were not, and the "
      "answer\n"
      "says why; 2: bad input. Lengths are in the model's own unit.\n\n"
      "Examples:\n"
      "  armature ik planar_arm --goal -20,5\n"
      "  armature ik planar_arm --goal -20,5 --method dls --damping 1\n"
      "  armature ik panda --goal 0.4,0.2,0.5,1,0,0,0 --json\n"
      "  armature ik human --goal left_hand=0.3,0.2,0.1 --base left_clavicle --method two_link\n"
      "  armature ik human --goal left_hand=0.3,0.3,0.2 --base chest --pole left_forearm=0.2,1,-0.5\n"
      "  armature ik human --goals goals.json --locked root\n"
      "  armature ik ur5 --goal 0.3,0.2,0.4,0,1,0,0 --all\n"
      "  armature ik panda --targets targets.jsonl --json > answers.jsonl");
  command->callback([options] {
    bool reached = false;
    if (options->every.all) {
      if (!options->targets.empty()) throw BadInput{"--all answers one goal at a time; leave out --targets."};
      if (options->trace) throw BadInput{"--all makes no iterations to trace; leave out --trace."};
      check_motion_outputs(options->every.out);
      reached = find_all(scene_with_goals(*options), options->every, options->arguments.model, options->json);
    } else if (!options->every.out.empty()) {
      throw BadInput{"-o writes the poses of --all; without it the answer is on standard output."};
    } else if (options->targets.empty()) {
      reached = reach(*options);
    } else {
      Scene scene = scene_of(*options, options->targets);
      if (scene.goals.size() > 1) throw BadInput{"--targets are targets of one goal; the scene has several."};
      Streamer streamer(*options, scene);
      streamer.run(options->targets);
      reached = streamer.all_reached();
    }
    if (!reached) throw Quit{kNotReached};
  });
}

}  // namespace armature::cli
