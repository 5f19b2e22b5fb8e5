// `armature ik MODEL`: a pose that reaches one goal or several at once, or a stream of targets (--targets).
#include <fmt/format.h>

#include <memory>

#include "armature/base/number.hpp"
#include "commands.hpp"
#include "ik_all.hpp"
#include "ik_targets.hpp"
#include "motion_input.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct IkOptions : SolveFlags {
  AllOptions every;
  TargetFlags targets;
  bool trace = false;
};

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
  VecX q = scene.start;
  double microseconds = 0.0;
  const Report& report = timed_solve(*solver, problem, q, microseconds);
  const bool ok = report.ok();
  Json json = report_to_json(problem, report, q, {microseconds, true});
  if (!options.json) print_report(problem, report, q, microseconds);
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

}  // namespace

void add_ik(CLI::App& app) {
  auto options = std::make_shared<IkOptions>();
  CLI::App* command = app.add_subcommand("ik", "Inverse kinematics: a pose that reaches goals, by any method");
  add_solve_flags(*command, *options, "auto");
  command->add_option(
      "--targets", options->targets.targets,
      "Many targets: .jsonl {\"id\", \"target\", \"start\"}, .csv, .npy or .npz (docs/formats/targets.md); "
      "- for lines from standard input");
  add_job_flags(*command, options->targets.job, true);
  command->add_flag("--all", options->every.all,
                    "Every pose that reaches the goal, the nearest to the start first: by analysis where the chain's "
                    "equations are known, else those that a search finds");
  command->add_flag("--turns", options->every.turns,
                    "With --all: the table and files have every pose, also those that differ by full turns only");
  command
      ->add_option("--samples", options->every.samples,
                   "With --all, seven joints: points on each curve of poses (default: the one nearest to the start)")
      ->transform(within(0, 100000));
  command->add_option("--max-count", options->every.max_count, "With --all: at most so many poses (default: 256)")
      ->transform(within(1, 256));
  command
      ->add_option(
          "-o,--out", options->every.out,
          "With --targets: a file for the answers (.npz, .npy, .csv, .jsonl). With --all: a file for the poses, "
          "as frames of a motion (.csv, .json, .bvh, ...) or side by side (.svg, .png); may be given several "
          "times")
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
      "  armature ik panda --targets targets.jsonl --json > answers.jsonl\n"
      "  armature ik panda --targets grasps.npz -o answers.npz");
  command->callback([options] {
    bool reached = false;
    if (options->every.all) {
      if (!options->targets.targets.empty()) throw BadInput{"--all answers one goal at a time; leave out --targets."};
      if (options->trace) throw BadInput{"--all makes no iterations to trace; leave out --trace."};
      check_motion_outputs(options->every.out);
      reached = find_all(scene_with_goals(*options), options->every, options->arguments.model, options->json);
    } else if (!options->targets.targets.empty()) {
      options->targets.out = options->every.out;
      reached = answer_targets(*options, options->targets);
    } else if (!options->every.out.empty()) {
      throw BadInput{"-o writes the answers of --targets or the poses of --all; one answer is on standard output."};
    } else if (options->targets.job.mpi) {
      throw BadInput{"--mpi is for many targets: --targets FILE -o FILE."};
    } else {
      reached = reach(*options);
    }
    if (!reached) throw Quit{kNotReached};
  });
}

}  // namespace armature::cli
