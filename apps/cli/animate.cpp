// `armature animate MODEL --keys FILE`: key poses interpolated, goals solved for; `--drive joint=from..to`: a mechanism
// driven.
#include "armature/scene/animate.hpp"

#include <fmt/format.h>

#include <memory>

#include "armature/base/number.hpp"
#include "armature/motion/keyframes.hpp"
#include "commands.hpp"
#include "driving.hpp"
#include "motion_answer.hpp"
#include "motion_input.hpp"
#include "picture.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct AnimateOptions {
  SceneArguments arguments;
  std::string scene, keys;
  std::vector<std::string> out;
  double frame_rate = 0.0;
  RetimeFlags clock;
  DriveFlags driving;
  CollisionFlags collisions;
  bool json = false;
};

// --drive: the crank is turned and the rest follows.
void animate_drive(const AnimateOptions& options) {
  const LoadedModel loaded = need(open_model(options.arguments.model, options.arguments.read));
  const Model& model = loaded.model;
  add_notes(loaded.document.notes);
  add_notes(model.notes());
  if (!options.keys.empty()) throw BadInput{"Either --drive or --keys, not both."};
  const CollisionFlags& collisions = options.collisions;
  if (collisions.exact || !collisions.obstacles.empty() || !collisions.margin.empty() || !collisions.collision.empty())
    throw BadInput{"--drive does not look at what is touched; write the motion and ask `check --motion FILE`."};
  std::vector<TrailPoint> trails;
  for (const std::string& text : options.driving.trails) trails.push_back(parse_trail(model, text));
  DriveReport report = need(drive(model, drive_options(model, options.driving, options.frame_rate)));
  const std::optional<RetimeOptions> clock = clock_of(model, options.clock);
  const Clip clip = clock ? need(retime(model, report.clip, *clock)).clip : report.clip;
  for (const std::string& path : options.out) {
    if (is_picture(path)) {
      write_picture(path, draw_mechanism(model, report.q, report.clip, trails, ""));
    } else {
      write_motion(path, loaded.document, clip, options.arguments.read.up);
    }
  }
  Json summary = motion_summary(model, clip);
  summary.update(drive_json(model, report, trails));
  summary["out"] = options.out;
  if (options.json) {
    print_answer(summary, report.ok());
  } else {
    double worst = 1.0;
    for (const double t : report.transmission) worst = std::min(worst, t);
    fmt::print("{}\n", printable(report.message()));
    fmt::print("  frames              {}, {} s\n", clip.frame_count(), pretty_number(clip.duration(), 4));
    fmt::print("  least transmission  {}\n", pretty_number(worst, 4));
    fmt::print("  closure error       {}\n", pretty_number(report.largest_closure_error, 3));
    for (const std::string& path : options.out) fmt::print("  written             {}\n", path);
  }
  if (!report.ok()) throw Quit{kNotReached};
}

// The scene with the keys of a file in place of its own.
Scene scene_with_keys(const AnimateOptions& options) {
  SolveFlags flags;
  flags.arguments = options.arguments;
  flags.scene = options.scene;
  static_cast<CollisionFlags&>(flags) = options.collisions;
  Scene scene = scene_of(flags, options.keys);
  if (!options.keys.empty()) {
    const JsonInput input =
        need(JsonInput::parse(need(read_file(options.keys)), options.keys == "-" ? "Standard input" : options.keys));
    JsonFields fields(input.source());
    scene.keys.emplace(scene.model);
    if (!read_keys(fields, input.root(), scene.model, scene.notes, *scene.keys, scene.layers)) {
      throw BadInput{fields.error().message};
    }
    add_notes(scene.notes);
  }
  if (!scene.keys) throw BadInput{"Give the key poses: --keys FILE, or a scene that has keys."};
  return scene;
}

}  // namespace

void add_animate(CLI::App& app) {
  auto options = std::make_shared<AnimateOptions>();
  CLI::App* command =
      app.add_subcommand("animate", "A motion through key poses and keys of goals, or of a driven mechanism");
  command->add_option("MODEL", options->arguments.model, "A built-in model, a file, or a scene file");
  command->add_option("--scene", options->scene, "A scene file that has keys");
  command->add_option("--keys", options->keys, "Key poses in a JSON file (docs/formats/motion_files.md)");
  add_drive_flags(*command, options->driving);
  command->add_option("--trail", options->driving.trails,
                      "With --drive: LINK:x,y,z, the path of a point; may be repeated");
  add_collision_flags(*command, options->collisions, "With --keys: the motion");
  add_motion_flags(*command, options->out, options->frame_rate);
  add_retime_flags(*command, options->clock);
  add_read_options(*command, options->arguments.read);
  add_json_flag(*command, options->json);
  command->footer(
      "Examples:\n"
      "  armature animate human --keys wave.json -o wave.bvh\n"
      "  armature animate human --keys wave.json --frame-rate 60 -o wave.glb -o wave.svg\n"
      "  armature animate panda --keys pick.json --obstacles shelf.json --margin 5mm -o pick.csv\n"
      "  armature animate four_bar --drive crank=0..360deg --frames 361 --trail coupler:1.4,1.2,0 -o four_bar.svg");
  command->callback([options] {
    check_motion_outputs(options->out);
    if (!options->driving.drives.empty()) return animate_drive(*options);
    Scene scene = scene_with_keys(*options);
    scene.tracking.retime = clock_of(scene.model, options->clock, scene.tracking.retime);
    Animation made = need(animate(scene, options->frame_rate > 0.0 ? 1.0 / options->frame_rate : 0.0));
    Clip clip = std::move(made.clip);
    need(close_loops(scene.model, clip));
    clip.name = scene.loaded->document.linkage.name;
    Json summary = motion_summary(scene.model, clip);
    if (scene.layers.targets) {
      summary["not_reached"] = made.not_reached;
      summary["largest_error"] = made.largest_error;
      if (!made.not_reached.empty()) {
        add_notes({fmt::format("{} of {} frames were not reached, the first is {}; largest error {}.",
                               made.not_reached.size(), clip.frame_count(), made.not_reached.front(),
                               pretty_number(made.largest_error, 3))});
      }
    }
    if (made.cleared) tell_clear(*made.cleared, summary, options->json);
    const bool ok = made.not_reached.empty() && (!made.cleared || made.cleared->ok());
    finish_motion(scene, clip, options->out, "", summary, options->json, ok);
  });
}

}  // namespace armature::cli
