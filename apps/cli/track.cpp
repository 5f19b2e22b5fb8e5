// `armature track MODEL`: effectors follow paths. A goal with a path follows it; without any path the goals slide in a
// straight line from where their links are to their targets, as in the textbook's figures.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/solve/sequence.hpp"
#include "commands.hpp"
#include "motion_answer.hpp"
#include "motion_input.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct TrackFlags : SolveFlags {
  int frames = 21;
  int steps_per_frame = -1;
  double max_joint_step = 0.0;
  double frame_rate = 0.0;
  bool stop = false;
  std::vector<std::string> out;
  RetimeFlags clock;
};

// Fills not_reached and the like from frames that have an outcome and a position error.
template <class Frames>
void add_errors(const Frames& frames, Json& json) {
  json["not_reached"] = Json::array();
  double largest = 0.0;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    if (frames[f].outcome != Outcome::converged) json["not_reached"].push_back(f);
    largest = std::max(largest, frames[f].position_error);
  }
  json["largest_error"] = largest;
}

void follow_paths(const TrackFlags& flags, Scene& scene) {
  const std::unique_ptr<Solver> solver = need(make_solver(scene, "reach"));
  if (flags.steps_per_frame >= 0) scene.tracking.steps_per_frame = flags.steps_per_frame;
  std::vector<GoalPath> paths;
  std::string trails;
  for (const SceneGoal& goal : scene.goals) {
    if (!goal.path || goal_fields(goal.goal).weight == 0.0) continue;
    paths.push_back(*goal.path);
    trails += (trails.empty() ? "" : ",") + scene.model().link_name(goal.path->link);
  }
  const Track track = need(armature::track(*solver, make_problem(scene), paths, scene.start, scene.tracking));
  Clip clip = retimed(scene.model(), track.clip, flags.clock);
  clip.name = scene.loaded->document.linkage.name;
  Json json = motion_summary(scene.model(), clip);
  add_errors(track.frames, json);
  int solves = 0;
  json["near_singular"] = json["jumps"] = Json::array();
  for (std::size_t f = 0; f < track.frames.size(); ++f) {
    if (track.frames[f].near_singular) json["near_singular"].push_back(f);
    if (track.frames[f].jump) json["jumps"].push_back(f);
    solves += track.frames[f].solves;
  }
  json["solves"] = solves;
  if (scene.tracking.stop) json["fraction"] = track.fraction;
  finish_motion(scene, clip, flags.out, trails, json, flags.json,
                track.unreached == 0 || scene.tracking.steps_per_frame > 0);
}

void print_slide(const Sequence& sequence, const Goal& goal, int q_size) {
  Table table({"frame", "goal", "effector", "distance", "pose"});
  const auto list = [](const double* v, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += (i == 0 ? "" : ", ") + pretty_number(v[i], 6);
    return text;
  };
  const auto* position = std::get_if<PositionGoal>(&goal);
  const int shown = position != nullptr && position->axes.free[2] ? 2 : 3;
  for (std::size_t f = 0; f < sequence.frames.size(); ++f) {
    const SequenceFrame& frame = sequence.frames[f];
    table.add({std::to_string(f), list(frame.goal.data(), shown), list(frame.effector.data(), shown),
               pretty_number((frame.goal - frame.effector).head(shown).norm(), 4),
               list(sequence.clip.frame(static_cast<int>(f)), q_size)});
  }
  fmt::print("{}\n", table.text());
}

void slide(const TrackFlags& flags, const Scene& scene) {
  // A sliding goal is the textbook's own motion: its plainest method, one Euler step per frame, unless others are
  // asked.
  const std::unique_ptr<Solver> solver = need(make_solver(scene, "pseudoinverse"));
  const int steps = flags.steps_per_frame >= 0 ? flags.steps_per_frame : 1;
  const Problem problem = make_problem(scene);
  const Sequence sequence = need(run_sequence(*solver, problem, scene.start, {flags.frames, steps}));
  Clip clip = sequence.clip;
  if (flags.frame_rate > 0.0) clip.frame_time = 1.0 / flags.frame_rate;
  clip = retimed(scene.model(), clip, flags.clock);
  Json json = motion_summary(scene.model(), clip);
  add_errors(sequence.frames, json);
  json["near_singular"] = json["jumps"] = Json::array();
  json["solves"] = sequence.clip.frame_count() - 1;
  if (!flags.json) print_slide(sequence, problem.goals.front(), scene.model().q_size());
  finish_motion(scene, clip, flags.out, scene.model().link_name(effector(problem.goals.front(), problem.model)), json,
                flags.json, steps > 0 || json["not_reached"].empty());
}

}  // namespace

void add_track(CLI::App& app) {
  auto flags = std::make_shared<TrackFlags>();
  CLI::App* command = app.add_subcommand("track", "A motion that follows paths, or slides to goals");
  add_solve_flags(*command, *flags, "reach; for a sliding goal pseudoinverse");
  command->add_option("--frames", flags->frames, "Sliding goals: number of frames, the first of which is the start")
      ->check(CLI::Range(2, 1000000));
  command
      ->add_option(
          "--steps-per-frame", flags->steps_per_frame,
          "Steps of the method per frame; 1 is plain Euler integration, 0 goes on until it converges (default: "
          "the scene's, or 0; sliding goals 1)")
      ->check(CLI::Range(0, 1000000));
  command
      ->add_option("--max-joint-step", flags->max_joint_step,
                   "Largest change of a joint between two solves, radians; a frame with more is subdivided")
      ->check(CLI::Range(1e-9, 1e6));
  command->add_flag("--stop", flags->stop,
                    "End at the last point of the paths that is reached; the answer has the fraction of their length");
  add_motion_flags(*command, flags->out, flags->frame_rate);
  add_retime_flags(*command, flags->clock);
  command->footer(
      "A path is part of a goal (docs/formats/motion_files.md). With a number of steps every step is taken as the\n"
      "method gives it: no clamp unless --max-step asks for one. Exit code 1: a frame was not reached.\n"
      "With --retime the answer's frames and duration are the retimed motion's; lists of frames count the path's "
      "own.\n\n"
      "Examples:\n"
      "  armature track planar_arm --goal -20,5\n"
      "  armature track planar_arm --goal -35,5 --method dls --damping 5\n"
      "  armature track planar_arm --goal -20,5 --posture 0,0,0 --gain joint1=0.1,joint2=0.5,joint3=0.1\n"
      "  armature track planar_arm --goal -20,5 --jacobian-at target\n"
      "  armature track panda --goal 0.5,0.3,0.4 --frames 100 --steps-per-frame 0 --json\n"
      "  armature track panda --scene line.json -o line.csv -o line.svg\n"
      "  armature track panda --scene line.json --retime --velocity-scale 0.5 --acceleration 5 -o line.csv");
  command->callback([flags] {
    check_motion_outputs(flags->out);
    Scene scene = scene_with_goals(*flags);
    if (flags->frame_rate > 0.0) scene.tracking.frame_time = 1.0 / flags->frame_rate;
    scene.tracking.stop = flags->stop;
    if (flags->max_joint_step > 0.0) scene.tracking.largest_step = flags->max_joint_step;
    const bool paths =
        std::any_of(scene.goals.begin(), scene.goals.end(), [](const auto& g) { return g.path.has_value(); });
    if (paths) {
      follow_paths(*flags, scene);
    } else {
      slide(*flags, scene);
    }
  });
}

}  // namespace armature::cli
