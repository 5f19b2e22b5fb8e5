// `armature clip FILE TOOL ARGUMENT ... -o OUT`: clip tools in order, and what can be measured of the result.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/scene/clip_text.hpp"
#include "armature/scene/files.hpp"
#include "commands.hpp"
#include "draw.hpp"
#include "motion_answer.hpp"
#include "motion_input.hpp"
#include "picture.hpp"

namespace armature::cli {
namespace {

struct ClipFlags {
  std::string file, model, clip, travel, keys;
  std::vector<std::string> words, out;
  CollisionFlags collisions;
  bool stats = false;
  bool json = false;
  ReadOptions read;
};

std::string tool_list() {
  std::string text = "Tools:\n";
  for (const ClipTool& tool : clip_tools()) {
    std::string name = tool.name;
    std::replace(name.begin(), name.end(), '_', '-');
    text += fmt::format("  {} {}\n      {}\n", name, tool.argument, tool.doc);
  }
  return text;
}

const ClipTool* tool_named(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  for (const ClipTool& tool : clip_tools()) {
    if (name == tool.name) return &tool;
  }
  return nullptr;
}

// An argument that may be left out is there unless the next word is a tool.
bool has_argument(const ClipTool* tool, const std::vector<std::string>& words, std::size_t next) {
  if (next >= words.size()) return false;
  if (tool == nullptr) return true;
  return *tool->argument != '\0' && (*tool->argument != '[' || tool_named(words[next]) == nullptr);
}

// The axis that points up because the file was turned so; zero: the figure tells.
Vec3 up_axis(const std::string& text) {
  return text == "y" ? Vec3::UnitY() : text == "z" ? Vec3::UnitZ() : Vec3(Vec3::Zero());
}

void print_stats(const Model& model, const clips::ClipStats& stats) {
  fmt::print("  travel           {} along the ground, {} from start to end, at most {} per second\n",
             pretty_number(stats.travel, 4), pretty_number(stats.distance, 4), pretty_number(stats.top_speed, 4));
  if (!stats.stances.empty()) {
    fmt::print("  stances          {}, largest slide {}\n", stats.stances.size(),
               pretty_number(stats.largest_slide, 3));
  }
  std::vector<clips::JointStats> joints = stats.joints;
  std::sort(joints.begin(), joints.end(),
            [](const auto& a, const auto& b) { return a.largest_speed > b.largest_speed; });
  Table table({"fastest joints", "per second", "lowest", "highest", "limits"});
  for (std::size_t i = 0; i < std::min<std::size_t>(joints.size(), 8); ++i) {
    const ModelJoint& joint = model.joint(joints[i].link);
    const bool single = joint.q_count == 1;
    table.add({joint.name, pretty_number(joints[i].largest_speed, 4), single ? pretty_number(joints[i].lowest, 4) : "",
               single ? pretty_number(joints[i].highest, 4) : "", joints[i].outside_limits ? "outside" : "inside"});
  }
  fmt::print("{}", table.text(2));
}

void run_clip(const ClipFlags& flags) {
  // With --model the first argument is a motion of that model (a table, or a file of the same linkage).
  const bool own = flags.model.empty();
  const LoadedMotion source =
      load_motion(own ? flags.file : flags.model, own ? "" : flags.file, flags.clip, flags.read);
  need_frames(source, flags.file);
  check_motion_outputs(flags.out);
  ClipWork work;
  work.model = source.model;
  work.clip = source.clip;
  work.up = up_axis(flags.read.up);
  work.notes = source.document.notes;
  const ClipLoader load = [&](const std::string& name) -> Result<Clip> {
    const LoadedMotion other = load_motion(own ? flags.file : flags.model, name, "", flags.read);
    return other.clip;
  };
  for (std::size_t i = 0; i < flags.words.size(); ++i) {
    const std::string& tool = flags.words[i];
    const bool takes = has_argument(tool_named(tool), flags.words, i + 1);
    need(apply_clip_tool(work, tool, takes ? flags.words[++i] : std::string(), load));
  }
  const std::optional<ClearMotion> clear =
      clear_motion(flags.collisions, LoadedModel{source.document, source.model, source.beside}, work.clip);
  for (const std::string& path : flags.out) {
    if (is_picture(path)) {
      write_picture(path, draw_strip({source.document, source.model, work.clip, source.beside}, 8, "", true));
    } else {
      write_motion(path, source.document, work.clip, flags.read.up);
    }
  }
  if (!flags.travel.empty()) {
    if (work.travel.empty()) throw BadInput{"--travel writes what in-place takes out; use that tool too."};
    std::string csv = "time,x,y,heading\n";
    for (std::size_t f = 0; f < work.travel.size(); ++f) {
      const clips::GroundMove& move = work.travel[f];
      csv += fmt::format("{},{},{},{}\n", static_cast<double>(f) * work.clip.frame_time, move.x, move.y, move.heading);
    }
    write_output(flags.travel, csv);
  }
  if (!flags.keys.empty()) {
    if (!work.keys) throw BadInput{"--keys writes what reduce finds; make that the last tool."};
    JsonText json;
    write_keys(json, work.model, *work.keys);
    write_output(flags.keys, json.text() + "\n");
  }
  add_notes(work.notes);
  const clips::ClipStats stats = clips::stats(work.model, work.clip);
  if (flags.json) {
    JsonText text;
    write_stats(text, work.model, stats);
    Json answer = {{"frames", work.clip.frame_count()},
                   {"duration", work.clip.duration()},
                   {"frame_time", work.clip.frame_time},
                   {"stats", Json::parse(text.text())},
                   {"out", flags.out}};
    if (clear) tell_clear(*clear, answer, true);
    print_answer(answer, !clear || clear->ok());
    if (clear && !clear->ok()) throw Quit{kNotReached};
    return;
  }
  fmt::print("{}: {} frames, {} s, {} frames per second\n",
             printable(work.clip.name.empty() ? work.model.name() : work.clip.name), work.clip.frame_count(),
             pretty_number(work.clip.duration(), 4), pretty_number(1.0 / work.clip.frame_time, 6));
  if (clear) fmt::print("  {}\n", printable(clear->message()));
  if (flags.stats || flags.words.empty()) print_stats(work.model, stats);
  for (const std::string& path : flags.out) fmt::print("  written          {}\n", path);
  if (flags.out.empty() && !flags.words.empty()) add_notes({"Nothing was written; name a file with -o."});
  if (clear && !clear->ok()) throw Quit{kNotReached};
}

}  // namespace

void add_clip(CLI::App& app) {
  auto flags = std::make_shared<ClipFlags>();
  CLI::App* command = app.add_subcommand("clip", "Cut, join, loop, mirror, layer, smooth, reduce and measure a motion");
  command->add_option("FILE", flags->file, "The motion: .bvh, .glb, .gltf, .fbx, .csv or .jsonl")->required();
  command->add_option("TOOL", flags->words, "Tools in order, each followed by what it takes; see below")->expected(-1);
  command
      ->add_option("-o,--out", flags->out,
                   "Output file: .bvh, .glb, .csv, .jsonl, or a film strip as .svg or .png; may be repeated")
      ->take_all()
      ->expected(1);
  command->add_option("--clip", flags->clip, "Which of several motions: its name or number");
  command->add_option("--model", flags->model, "The model that a table (.csv) is a motion of");
  command->add_option("--travel", flags->travel, "Write what in-place takes out, as CSV: time, x, y, heading")
      ->expected(1);
  command->add_option("--keys", flags->keys, "Write what reduce finds, as the keys of a scene")->expected(1);
  add_collision_flags(*command, flags->collisions, "The motion");
  command->add_flag("--stats", flags->stats, "Speeds, travel, stances and limits of the result (always with --json)");
  add_json_flag(*command, flags->json);
  add_read_options(*command, flags->read);
  command->footer(tool_list() +
                  "\nExamples:\n"
                  "  armature clip walk.bvh --stats\n"
                  "  armature clip walk.bvh trim 1.2..2.3 loop 0.2 in-place -o cycle.bvh --travel travel.csv\n"
                  "  armature clip walk.bvh --obstacles room.json --margin 2cm -o clear.bvh\n"
                  "  armature clip walk.bvh mirror concat walk.bvh,blend=0.3 -o both.glb\n"
                  "  armature clip walk.bvh layer wave.bvh,link=RightArm,fade=0.2 -o waving.bvh\n"
                  "  armature clip hero.glb --clip Run resample 30 reduce 2mm -o small.glb");
  command->callback([flags] { run_clip(*flags); });
}

}  // namespace armature::cli
