#include "motion_answer.hpp"

#include <fmt/format.h>

#include <limits>

#include "armature/base/number.hpp"
#include "armature/motion/keyframes.hpp"
#include "armature/motion/retime.hpp"
#include "draw.hpp"
#include "motion_input.hpp"
#include "picture.hpp"

namespace armature::cli {

void add_motion_flags(CLI::App& command, std::vector<std::string>& out, double& frame_rate) {
  command.add_option("-o,--out", out,
                     "Output file: .bvh, .glb, .csv, .jsonl, .json, or a film strip as .svg or .png; may be given "
                     "several times");
  command.add_option("--frame-rate", frame_rate, "Frames per second (default: the scene's, or 30)")
      ->transform(within(0.001, 1e6));
}

void add_retime_flags(CLI::App& command, RetimeFlags& flags) {
  command.add_flag(
      "--retime", flags.retime,
      "Run through the motion in the least time that the model's velocity limits and --acceleration allow");
  command.add_option("--velocity-scale", flags.velocity_scale, "With --retime: fraction of the velocity limits to use")
      ->transform(within(1e-6, 1.0));
  command.add_option("--acceleration", flags.acceleration,
                     "With --retime: acceleration limits, one number for all joints or joint=value,...; with them the "
                     "motion begins and ends at rest");
}

std::optional<RetimeOptions> clock_of(const Model& model, const RetimeFlags& flags,
                                      std::optional<RetimeOptions> otherwise) {
  if (!flags.retime) {
    if (!flags.acceleration.empty() || flags.velocity_scale != 1.0) {
      throw BadInput{"--velocity-scale and --acceleration are for --retime; give that too."};
    }
    return otherwise;
  }
  RetimeOptions options;
  options.velocity_scale = flags.velocity_scale;
  if (!flags.acceleration.empty()) {
    options.acceleration = need(parse_velocities(model, flags.acceleration, "--acceleration",
                                                 std::numeric_limits<double>::infinity(), JointUnits::own));
  }
  return options;
}

Json motion_summary(const Model& model, const Clip& clip) {
  const MotionCheck check = check_motion(model, clip);
  const int joint = model.v_size() > 0 ? model.velocity_joint(check.largest_step_index) : -1;
  std::vector<std::string> notes;
  for (const MotionFault& fault : check.faults) {
    const int owner = fault.too_fast ? model.velocity_joint(fault.index) : model.coordinate_joint(fault.index);
    notes.push_back(fmt::format("{} is {} in frame {} ({} s): {}, limit {}.", model.joint(owner).name,
                                fault.too_fast ? "faster than its limit" : "outside its limits", fault.frame,
                                pretty_number(fault.frame * clip.frame_time, 4), pretty_number(fault.value, 4),
                                pretty_number(fault.limit, 4)));
  }
  add_notes(notes);
  return {{"frames", clip.frame_count()},
          {"duration", clip.duration()},
          {"largest_step",
           {{"value", check.largest_step},
            {"joint", joint >= 0 ? model.joint(joint).name : ""},
            {"frame", check.largest_step_frame}}}};
}

void tell_clear(const ClearMotion& clear, Json& summary, bool json) {
  JsonText text;
  write_clear(text, clear);
  summary["cleared"] = Json::parse(text.text());
  if (!json) fmt::print("{}\n", printable(clear.message()));
}

std::optional<ClearMotion> clear_motion(const CollisionFlags& flags, const LoadedModel& loaded, Clip& clip,
                                        bool repair) {
  Problem things;
  things.model = loaded.model;
  bool exact = false;
  std::vector<std::string> notes;
  if (!repair) things.collision = Collision::search;
  use_collision_flags(flags, loaded, things, exact, notes);
  if (!things.avoids_collisions()) return std::nullopt;
  ClearMotion clear = need(keep_clear(things, clip, {.repair = repair}));
  add_notes(notes);
  clip = std::move(clear.clip);
  return clear;
}

void finish_motion(const Scene& scene, const Clip& clip, const std::vector<std::string>& out, const std::string& trails,
                   Json summary, bool json, bool ok) {
  const LoadedModel& loaded = *scene.loaded;
  for (const std::string& path : out) {
    if (is_picture(path)) {
      write_picture(path, draw_strip({loaded.document, loaded.model, clip, loaded.beside}, 6, trails, false));
    } else {
      write_motion(path, loaded.document, clip, scene.read.up);
    }
  }
  summary["out"] = out;
  if (json) {
    print_answer(summary, ok);
  } else {
    fmt::print("{} frames, {} s\n", clip.frame_count(), pretty_number(clip.duration(), 4));
    const Json& step = summary["largest_step"];
    fmt::print("  largest joint step  {} ({}, frame {})\n", pretty_number(step["value"].get<double>(), 4),
               printable(step["joint"].get<std::string>()), step["frame"].get<int>());
    if (summary.contains("not_reached")) {
      const Json& missed = summary["not_reached"];
      fmt::print("  frames not reached  {}{}\n", missed.size(),
                 missed.empty() ? "" : fmt::format(" (the first is frame {})", missed[0].get<int>()));
      fmt::print("  near singular       {} frames\n", summary["near_singular"].size());
      fmt::print("  branch jumps        {}\n", summary["jumps"].size());
      fmt::print("  largest error       {}\n", pretty_number(summary["largest_error"].get<double>(), 4));
    }
    for (const std::string& path : out) fmt::print("  written             {}\n", path);
  }
  if (!ok) throw Quit{kNotReached};
}

}  // namespace armature::cli
