// `armature draw MODEL`: a pose, a film strip, onion skins; the drawing itself is armature/draw.
#include "draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/draw/draw.hpp"
#include "armature/draw/figure.hpp"
#include "commands.hpp"
#include "motion_input.hpp"
#include "picture.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct DrawFlags {
  std::string model, motion, clip, pose, out, frames;
  std::vector<std::string> trails, goals, show;
  double scale = 2.0;
  bool json = false;
  ReadOptions read;
  DrawOptions options;
};

bool shown(const DrawFlags& flags, const char* what) {
  return std::find(flags.show.begin(), flags.show.end(), what) != flags.show.end();
}

// What the model's file tells: its meshes, and where up is in files of its kind.
void add_what_was_loaded(const LoadedMotion& motion, DrawOptions& options) {
  if (options.style == "sticks") return;
  std::vector<std::string> notes;
  options.meshes = drawing::load_mesh_points(motion.model, motion.beside, notes);
  if (options.style == "shapes" || !drawing::has_shapes(motion.model, options.meshes)) add_notes(notes);
}

DrawOptions options_of(const DrawFlags& flags, const LoadedMotion& motion) {
  DrawOptions options = flags.options;
  add_what_was_loaded(motion, options);
  options.limits = shown(flags, "limits");
  options.labels = shown(flags, "labels");
  for (const std::string& goal : flags.goals) options.goals.push_back(need(parse_place(goal, "--goal", true)));
  for (const std::string& list : flags.trails) {
    for (const std::string& name : split_list(list)) options.trail.push_back({link_of(motion.model, name)});
  }
  if (!flags.frames.empty()) {
    for (const double f : need(parse_numbers(flags.frames, "", "--at"))) {
      if (f != std::floor(f) || std::abs(f) > 1e9)
        throw BadInput{"--at takes whole numbers, not " + pretty_number(f) + "."};
      options.at.push_back(static_cast<int>(f));
    }
  }
  return options;
}

}  // namespace

Svg draw_strip(const LoadedMotion& motion, int panels, const std::string& trails, bool follow) {
  DrawOptions options;
  options.strip = panels;
  options.follow = follow;
  add_what_was_loaded(motion, options);
  for (const std::string& name : split_list(trails)) options.trail.push_back({link_of(motion.model, name)});
  return need(draw(motion.model, motion.clip, options));
}

void add_draw(CLI::App& app) {
  auto flags = std::make_shared<DrawFlags>();
  CLI::App* command = app.add_subcommand("draw", "A picture of a pose or a motion: strips, onion skins, trails");
  command->add_option("MODEL", flags->model, "A built-in model, a model file or a motion file")->required();
  command->add_option("-o,--out", flags->out, "Output file: .svg, .png or .pdf; - prints SVG")->required();
  command->add_option("--pose", flags->pose, "joint=value,... or the name of a pose");
  command->add_option("--motion", flags->motion, "A motion of MODEL in another file (.csv, .jsonl, .bvh, .glb)");
  command->add_option("--clip", flags->clip, "Which of several motions: its name or number");
  command->add_option("--at", flags->frames, "Frames to draw: 0,5,10");
  command->add_option("--strip", flags->options.strip, "Number of frames side by side, evenly spaced")
      ->transform(within(1, 1000));
  command->add_option("--onion", flags->options.onion, "Number of frames on top of each other, older ones paler")
      ->transform(within(1, 1000));
  command->add_option("--trail", flags->trails, "LINK,...: where these links have been");
  command->add_option("--goal", flags->goals, "x,y or x,y,z: a marker; may be given several times");
  command->add_option("--show", flags->show, "limits (ranges of hinges as sectors), labels (names of joints)")
      ->delimiter(',')
      ->check(CLI::IsMember({"limits", "labels"}));
  command->add_flag("--follow", flags->options.follow, "Keep a travelling figure in the middle of its panel");
  command->add_option(
      "--view", flags->options.view,
      "top, front, side, oblique, or azimuth,elevation in degrees (default: top for planar models, else "
      "oblique)");
  command
      ->add_option("--view-up", flags->options.up,
                   "Which axis points up in the picture: y or z (default: as the file has it)")
      ->check(CLI::IsMember({"y", "z"}));
  command->add_option("--style", flags->options.style, "sticks or shapes (default: shapes where the model has some)")
      ->check(CLI::IsMember({"sticks", "shapes"}));
  command->add_option("--title", flags->options.title, "A line above the picture");
  command->add_option("--columns", flags->options.columns, "Panels in a row")->transform(within(1, 100));
  command->add_option("--size", flags->options.size, "Longer side of a panel, SVG units")
      ->transform(within(20.0, 10000.0));
  command->add_option("--pixel-ratio", flags->scale, "Pixels of a PNG per SVG unit")->transform(within(0.1, 20.0));
  add_json_flag(*command, flags->json);
  add_read_options(*command, flags->read);
  command->footer(
      "Examples:\n"
      "  armature draw planar_arm --pose chapter --goal -20,5 -o arm.svg\n"
      "  armature draw panda --pose ready --show limits -o panda.png\n"
      "  armature draw walk.bvh --strip 8 --view side --follow -o walk.svg\n"
      "  armature draw human --motion reach.csv --onion 6 --trail right_hand -o reach.png");
  command->callback([flags] {
    if (flags->out != "-" && !is_picture(flags->out)) {
      throw BadInput{fmt::format("A picture is written as .svg, .png or .pdf, not {}.", in_quotes(flags->out))};
    }
    if (flags->options.strip > 0 && flags->options.onion > 0) throw BadInput{"Either --strip or --onion, not both."};
    const LoadedMotion motion = load_motion(flags->model, flags->motion, flags->clip, flags->read);
    const DrawOptions options = options_of(*flags, motion);
    const bool moving = motion.clip.frame_count() > 0 && flags->pose.empty();
    if (!moving && (options.strip > 0 || options.onion > 0 || !options.at.empty())) need_frames(motion, flags->model);
    const std::size_t panels = moving ? need(drawn_frames(options, motion.clip.frame_count())).size() : 1;
    const Svg svg =
        need(moving ? draw(motion.model, motion.clip, options)
                    : draw(motion.model, pose_of(motion.model, flags->pose, start_pose(motion.model)), options));
    write_picture(flags->out, svg, flags->scale);
    if (flags->out == "-") return;
    if (flags->json) {
      print_answer({{"out", flags->out}, {"panels", panels}, {"width", svg.width()}, {"height", svg.height()}});
    } else {
      fmt::print("{}: {} pose{} of {}\n", flags->out, panels, panels == 1 ? "" : "s", printable(motion.model.name()));
    }
  });
}

}  // namespace armature::cli
