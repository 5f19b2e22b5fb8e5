// `armature animate MODEL --keys FILE`: key poses interpolated.
#include <memory>

#include "armature/motion/keyframes.hpp"
#include "commands.hpp"
#include "motion_answer.hpp"
#include "motion_input.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct AnimateOptions {
  SceneArguments arguments;
  std::string scene, keys;
  std::vector<std::string> out;
  double frame_rate = 0.0;
  RetimeFlags clock;
  bool json = false;
};

// The scene with the keys of a file in place of its own.
Scene scene_with_keys(const AnimateOptions& options) {
  SolveFlags flags;
  flags.arguments = options.arguments;
  flags.scene = options.scene;
  Scene scene = scene_of(flags, options.keys);
  if (!options.keys.empty()) {
    const JsonInput input =
        need(JsonInput::parse(need(read_file(options.keys)), options.keys == "-" ? "Standard input" : options.keys));
    JsonFields fields(input.source());
    scene.keys.emplace(scene.model());
    if (!read_keys(fields, input.root(), scene.model(), scene.notes, *scene.keys)) {
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
  CLI::App* command = app.add_subcommand("animate", "A motion through key poses");
  command->add_option("MODEL", options->arguments.model, "A built-in model, a file, or a scene file");
  command->add_option("--scene", options->scene, "A scene file that has keys");
  command->add_option("--keys", options->keys, "Key poses in a JSON file (docs/formats/motion_files.md)");
  add_motion_flags(*command, options->out, options->frame_rate);
  add_retime_flags(*command, options->clock);
  add_read_options(*command, options->arguments.read);
  add_json_flag(*command, options->json);
  command->footer(
      "Examples:\n"
      "  armature animate human --keys wave.json -o wave.bvh\n"
      "  armature animate human --keys wave.json --frame-rate 60 -o wave.glb -o wave.svg");
  command->callback([options] {
    check_motion_outputs(options->out);
    const Scene scene = scene_with_keys(*options);
    Clip clip =
        need(scene.keys->to_clip(options->frame_rate > 0.0 ? 1.0 / options->frame_rate : scene.tracking.frame_time));
    clip = retimed(scene.model(), clip, options->clock);
    clip.name = scene.loaded->document.linkage.name;
    finish_motion(scene, clip, options->out, "", motion_summary(scene.model(), clip), options->json, true);
  });
}

}  // namespace armature::cli
