// `armature track MODEL`: effectors follow paths. A goal with a path follows it; without any path the goals slide in a
// straight line from where their links are to their targets, as in the textbook's figures.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "armature/base/number.hpp"
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

// Frame by frame: what a sliding goal of the textbook's figures does.
void print_frames(const Track& track, const Goal& goal, int q_size) {
  Table table({"frame", "goal", "effector", "distance", "pose"});
  const auto list = [](const double* v, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += (i == 0 ? "" : ", ") + pretty_number(v[i], 6);
    return text;
  };
  const auto* position = std::get_if<PositionGoal>(&goal);
  const int shown = position != nullptr && position->axes.free[2] ? 2 : 3;
  for (std::size_t f = 0; f < track.frames.size(); ++f) {
    const TrackFrame& frame = track.frames[f];
    table.add({std::to_string(f), list(frame.target.data(), shown), list(frame.actual.data(), shown),
               pretty_number((frame.target - frame.actual).head(shown).norm(), 4),
               list(track.clip.frame(static_cast<int>(f)), q_size)});
  }
  fmt::print("{}\n", table.text());
}

void follow(const TrackFlags& flags, const Scene& scene) {
  const Track track = need(armature::track(scene, flags.frames, flags.steps_per_frame));
  const bool paths = std::any_of(scene.goals.begin(), scene.goals.end(), has_path);
  std::string trails;
  for (const Goal& goal : scene.goals) {
    const bool moves = paths ? has_path(goal) && goal_fields(goal).weight != 0.0 : trails.empty();
    const int link = effector(goal, scene.model, scene.tip);
    if (moves && link != kWorld) trails += (trails.empty() ? "" : ",") + scene.model.link_name(link);
  }
  if (!flags.json && (!track.ok() || track.slowed())) fmt::print("{}\n", track.message());
  if (!paths && !flags.json) print_frames(track, scene.goals.front(), scene.model.q_size());
  Clip clip = track.clip;
  clip.name = scene.loaded->document.linkage.name;
  Json json = motion_summary(scene.model, clip);
  json["message"] = track.message();
  json["not_reached"] = track.not_reached;
  json["near_singular"] = track.near_singular;
  json["jumps"] = track.jumps;
  json["largest_error"] = track.largest_error;
  json["solves"] = track.solves;
  if (scene.tracking.stop) json["fraction"] = track.fraction;
  if (scene.tracking.retime) json["asked_duration"] = track.asked;
  finish_motion(scene, clip, flags.out, trails, json, flags.json, track.ok());
}

}  // namespace

void add_track(CLI::App& app) {
  auto flags = std::make_shared<TrackFlags>();
  CLI::App* command = app.add_subcommand("track", "A motion that follows paths, or slides to goals");
  add_solve_flags(*command, *flags, "reach; for a sliding goal pseudoinverse");
  command->add_option("--frames", flags->frames, "Sliding goals: number of frames, the first of which is the start")
      ->transform(within(2, 1000000));
  command
      ->add_option(
          "--steps-per-frame", flags->steps_per_frame,
          "Steps of the method per frame; 1 is plain Euler integration, 0 goes on until it converges (default: "
          "the scene's, or 0; sliding goals 1)")
      ->transform(within(0, 1000000));
  command
      ->add_option("--max-joint-step", flags->max_joint_step,
                   "Largest change of a joint between two solves, radians; a frame with more is subdivided")
      ->transform(within(1e-9, 1e6, "angle"));
  command->add_flag("--stop", flags->stop,
                    "End at the last point of the paths that is reached; the answer has the fraction of their length");
  add_motion_flags(*command, flags->out, flags->frame_rate);
  add_retime_flags(*command, flags->clock);
  command->footer(
      "A path is part of a goal (docs/formats/motion_files.md). With a number of steps every step is taken as the\n"
      "method gives it: no clamp unless --max-step asks for one. Exit code 1: a frame was not reached, or\n"
      "--stop ended the motion before the paths end. With --retime the goals are solved for again on the new clock;\n"
      "frames and errors are those of the motion that is written.\n\n"
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
    if (flags->frame_rate > 0.0) scene.tracking.frame_rate = flags->frame_rate;
    scene.tracking.stop = scene.tracking.stop || flags->stop;
    scene.tracking.retime = clock_of(scene.model, flags->clock, scene.tracking.retime);
    if (flags->max_joint_step > 0.0) scene.tracking.max_joint_step = flags->max_joint_step;
    follow(*flags, scene);
  });
}

}  // namespace armature::cli
