// `armature retarget CLIP MODEL`: a motion of one figure carried over to another.
#include "armature/motion/retarget.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/model/compile.hpp"
#include "armature/parallel/retarget_files.hpp"
#include "armature/scene/files.hpp"
#include "armature/scene/retarget_text.hpp"
#include "commands.hpp"
#include "draw.hpp"
#include "large_job.hpp"
#include "motion_answer.hpp"
#include "motion_input.hpp"
#include "picture.hpp"

namespace armature::cli {
namespace {

constexpr std::size_t kFewBones = 5;  // fewer than a torso and four limbs are no figure

struct RetargetFlags {
  std::string source, model, clip, map, source_pose, target_pose;
  std::vector<std::string> out;
  RetargetOptions options;
  ReadOptions read;  // of MODEL; --bvh-positions of both
  std::string to = "bvh";
  JobFlags job;
  CollisionFlags collisions;
  bool print_map = false;
  bool report = false;
  bool only_skeleton = false;
  bool json = false;
};

BoneMap read_bone_map(const std::string& path) {
  const Json json = Json::parse(need(read_file(path)), nullptr, false, true);
  const Json* bones = json.is_object() && json.contains("bones") ? &json["bones"] : &json;
  if (json.is_discarded() || !bones->is_object()) {
    throw BadInput{
        fmt::format("{} must hold {{\"bones\": {{\"link of MODEL\": \"link of CLIP\", ...}}}}; --print-bone-map "
                    "writes one to start from.",
                    in_quotes(path))};
  }
  BoneMap map;
  for (const auto& [target, source] : bones->items()) {
    if (source.is_null()) continue;  // left out on purpose
    if (!source.is_string()) throw BadInput{fmt::format("{}: {} needs the name of a link.", path, in_quotes(target))};
    map.emplace_back(target, source.get<std::string>());
  }
  return map;
}

Json bone_map_json(const BoneMap& map, const Model& source, const Model& target) {
  Json json{{"format", "armature-bones"}, {"version", 1}, {"source", source.name()}, {"target", target.name()}};
  json["bones"] = Json::object();
  for (const auto& [to, from] : map) json["bones"][to] = from;
  return json;
}

void print_report(const Retargeted& result) {
  const RetargetReport& r = result.report;
  const bool measured = result.leg_length > 0.0;  // without legs nothing stands, and there is no length to go by
  const auto degrees = [](double angle) { return fmt::format("{:.2f} deg", angle / kDegree); };
  const auto legs = [&](double length) { return measured ? fmt::format("{:.3f} legs", length) : "-"; };
  const auto ratio = [&](double value, int digits) { return measured ? fmt::format("{:.{}f}", value, digits) : "-"; };
  Table table({"measure", "value", "of"});
  table.add({"legs' direction", measured ? degrees(r.leg_direction) : "-", "mean angle to the source's"});
  table.add({"arms' direction", degrees(r.arm_direction), "mean angle to the source's"});
  table.add({"trunk's direction", degrees(r.trunk_direction), "mean angle to the source's"});
  table.add({"knees bent back", measured ? std::to_string(r.knees_back) : "-", "leg-frames"});
  table.add({"slide", legs(r.slide), fmt::format("per second while standing (source {:.3f})", r.source_slide)});
  table.add({"floating", legs(r.floating), "mean distance from the ground while standing"});
  table.add({"sinking", legs(r.sinking), "deepest point of a foot under the ground"});
  table.add({"hands sinking", legs(r.hand_sinking), "deepest wrist under the ground"});
  table.add({"knee peak", ratio(r.knee_peak, 2), "largest acceleration, source 1"});
  table.add({"head peak", ratio(r.head_peak, 2), "largest acceleration, source 1"});
  table.add({"foot peak", ratio(r.foot_peak, 2), "largest acceleration, source 1"});
  table.add({"travel", ratio(r.travel, 3), "of the root, source 1"});
  fmt::print("{}", table.text(2));
}

// Every motion of a folder, into a folder.
void run_folder(const RetargetFlags& flags) {
  const CollisionFlags& things = flags.collisions;
  if (things.exact || !things.obstacles.empty() || !things.margin.empty() || !things.collision.empty())
    throw BadInput{"What must not be touched is looked at for one motion, not for a folder of them."};
  if (flags.out.size() != 1) throw BadInput{"The motions of a folder go into one folder: -o FOLDER."};
  const std::string& folder = flags.out.front();
  RetargetFilesOptions options;
  options.out = folder;
  options.extension = flags.to;
  options.clip = flags.clip;
  options.retarget = flags.options;
  if (!flags.map.empty()) options.retarget.bone_map = read_bone_map(flags.map);
  if (!flags.source_pose.empty()) {
    throw BadInput{"--source-pose is of one motion; those of a folder differ. Retarget that motion by itself."};
  }
  options.threads = thread_count(flags.job);
  options.ranks = ranks_of(flags.job);
  options.checkpoint = flags.job.checkpoint.empty() ? folder + "/retarget.part" : flags.job.checkpoint;
  const std::vector<std::string> motions = need(motions_in(flags.source));
  const LoadedModel target = need(open_model(flags.model, flags.read));
  options.clips = target.document.clips;
  options.only_skeleton = flags.only_skeleton;
  std::vector<std::string> notes = target.document.notes;
  options.retarget.target_pose = need(reference_pose(target.model, nullptr, flags.target_pose, notes));
  add_notes(notes);
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!std::filesystem::is_directory(folder)) throw BadInput{fmt::format("{} is not a folder.", in_quotes(folder))};
  options.resumed = [&](double fraction) { tell_resumed(options.checkpoint, fraction); };
  const StopSignals signals;
  RetargetFilesReport report;
  {
    Progress progress("motions");
    options.progress = [&](double fraction) {
      progress.at(fraction);
      return StopSignals::received() == 0;
    };
    report = need(retarget_files(motions, target.model, options));
  }
  if (!is_first(options.ranks)) return;
  if (!report.complete) quit_interrupted(options.checkpoint);
  int lost = 0, frames = 0;
  Json rows = Json::array();
  for (const RetargetedFile& row : report.files) {
    lost += row.error.empty() ? 0 : 1;
    frames += row.frames;
    if (!flags.json) {
      if (!row.error.empty()) fmt::print("{}: {}\n", printable(row.file), printable(row.error));
      continue;
    }
    rows.push_back({{"file", row.file}});
    if (!row.error.empty()) {
      rows.back()["error"] = row.error;
      continue;
    }
    rows.back().update({{"frames", row.frames},
                        {"bones", row.bones},
                        {"largest_slide", row.largest_slide},
                        {"hand_error", row.hand_error},
                        {"out", row.out}});
  }
  if (flags.json) {
    print_answer({{"motions", report.files.size()}, {"frames", frames}, {"files", rows}}, lost == 0);
  } else {
    fmt::print("{} of {} motions, {} frames, written to {}\n", report.files.size() - static_cast<std::size_t>(lost),
               report.files.size(), frames, folder);
  }
  if (lost > 0) throw Quit{kNotReached};
}

void run_retarget(RetargetFlags flags) {
  std::error_code failed;
  if (std::filesystem::is_directory(flags.source, failed)) return run_folder(flags);
  if (flags.job.mpi) throw BadInput{"--mpi is for the motions of a folder."};
  ReadOptions as_source;
  as_source.bvh_positions = flags.read.bvh_positions;
  const LoadedMotion source = load_motion(flags.source, "", flags.clip, as_source);
  LoadedModel read = need(open_model(flags.model, flags.read));
  std::vector<std::string> notes = read.document.notes;
  const LoadedModel target = need(make_travelling(std::move(read), false, notes));
  const BoneMap map = flags.map.empty() ? guess_bone_map(source.model, target.model) : read_bone_map(flags.map);
  if (flags.print_map) {
    print_json(bone_map_json(map, source.model, target.model));
    return;
  }
  need_frames(source, flags.source);
  check_motion_outputs(flags.out);
  flags.options.source_pose = need(reference_pose(source.model, &source.clip, flags.source_pose, notes));
  flags.options.target_pose = need(reference_pose(target.model, nullptr, flags.target_pose, notes));
  const auto begin = std::chrono::steady_clock::now();
  if (!flags.map.empty()) flags.options.bone_map = map;
  Clip clip = source.clip;
  clip.model = source.model;
  Retargeted result = need(retarget(clip, target.model, flags.options));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (result.clip.name.empty()) result.clip.name = source.model.name();
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  const std::optional<ClearMotion> clear = clear_motion(flags.collisions, target, result.clip);
  Document like = target.document;
  if (flags.only_skeleton) {
    like.linkage.extra.reset();
    like.clips.clear();
  }
  for (const std::string& path : flags.out) {
    if (is_picture(path)) {
      write_picture(path, draw_strip({target.document, target.model, result.clip, target.beside}, 8, "", true));
    } else {
      write_motion(path, like, result.clip, flags.read.up);
    }
  }
  const double played = result.clip.frame_count() * result.clip.frame_time;
  if (map.size() < kFewBones) {
    result.notes.push_back(fmt::format(
        "Only {} of {} links could be matched, so little of the motion is carried over; --bone-map names the rest "
        "(--print-bone-map shows what was found).",
        map.size(), target.model.link_count()));
  }
  add_notes(result.notes);
  if (flags.json) {
    Json falls = Json::array();
    for (const Footfall& fall : result.footfalls) {
      falls.push_back({{"link", target.model.link_name(fall.link)},
                       {"first", fall.first},
                       {"last", fall.last},
                       {"slide", fall.slide}});
    }
    JsonText report;
    write_retarget_report(report, result.report);
    Json answer = {{"frames", result.clip.frame_count()},
                   {"frame_time", result.clip.frame_time},
                   {"bones", map.size()},
                   {"root_scale", result.root_scale},
                   {"leg_length", result.leg_length},
                   {"footfalls", falls},
                   {"largest_slide", result.largest_slide},
                   {"hand_error", result.hand_error},
                   {"report", Json::parse(report.text())},
                   {"seconds", seconds},
                   {"times_real_time", played / seconds},
                   {"out", flags.out}};
    if (clear) tell_clear(*clear, answer, true);
    print_answer(answer, !clear || clear->ok());
    if (clear && !clear->ok()) throw Quit{kNotReached};
    return;
  }

  fmt::print("{} frames of {} onto {}: {} {}, {:.0f} times real time\n", result.clip.frame_count(),
             printable(source.model.name()), printable(target.model.name()), map.size(),
             map.size() == 1 ? "bone" : "bones", played / seconds);
  fmt::print("  root's travel    times {}\n", pretty_number(result.root_scale, 4));
  if (result.leg_length > 0.0) {
    fmt::print("  footfalls        {}, largest slide {:.2f} % of the leg\n", result.footfalls.size(),
               100.0 * result.largest_slide / result.leg_length);
  }
  if (result.hands > 0)
    fmt::print("  hands            within {} of their places\n", pretty_number(result.hand_error, 3));
  if (clear) fmt::print("  {}\n", printable(clear->message()));
  if (flags.report) print_report(result);
  for (const std::string& path : flags.out) fmt::print("  written          {}\n", path);
  if (clear && !clear->ok()) throw Quit{kNotReached};
}

}  // namespace

void add_retarget(CLI::App& app) {
  auto flags = std::make_shared<RetargetFlags>();
  CLI::App* command = app.add_subcommand("retarget", "A motion of one figure carried over to another");
  command->add_option("CLIP", flags->source, "The motion: .bvh, .glb, .fbx, .csv or .jsonl; or a folder of motions")
      ->required();
  command->add_option("MODEL", flags->model, "The figure that is to move: a built-in model or a file")->required();
  command->add_option(
      "-o,--out", flags->out,
      "Output file: .bvh, .glb, .csv, .jsonl, or a film strip as .svg or .png; may be given several times. Of a folder "
      "of motions: a folder");
  command->add_option("--to", flags->to, "Of a folder of motions: the extension of the answers")->capture_default_str();
  add_job_flags(*command, flags->job, true);
  command->add_option("--clip", flags->clip, "Which of several motions: its name or number");
  command->add_option("--bone-map", flags->map,
                      "Which bone follows which, as JSON (default: by the meaning of their names)");
  command->add_flag("--print-bone-map", flags->print_map, "Print the map as JSON, to be edited, and do nothing else");
  command->add_option("--root-scale", flags->options.root_scale, "Of the root's travel (default: ratio of the legs)")
      ->transform(within(1e-6, 1e6));
  command->add_flag("--keep-feet,!--no-keep-feet", flags->options.keep_feet,
                    "Standing feet stay where they are (default); without, only directions and scaled travel");
  command->add_flag("--keep-hands,!--no-keep-hands", flags->options.keep_hands,
                    "Hands that stand on the ground stay where they are (default)");
  command->add_option("--source-pose", flags->source_pose,
                      "A pose in which the source stands upright, feet flat: frame=N of the clip, or joint=value,... "
                      "(default: its rest pose, or what the clip shows)");
  command->add_option("--target-pose", flags->target_pose,
                      "The same for the target: a pose's name, or joint=value,...");
  command->add_flag("--only-skeleton", flags->only_skeleton,
                    "Write the bare bones, without the meshes, skins and other motions of the target's file");
  add_collision_flags(*command, flags->collisions, "The motion");
  command->add_flag("--report", flags->report,
                    "How good it is: sliding, sinking, directions, peaks of acceleration (always with --json)");
  command->add_flag("--within-limits,!--no-within-limits", flags->options.within_limits,
                    "Joints keep their limits (default)");
  add_json_flag(*command, flags->json);
  add_read_options(*command, flags->read);
  command->footer(
      "How files are read is said of MODEL (--bvh-positions of both); --float-root gives a robot that stands fixed a "
      "root\n"
      "that travels.\n\n"
      "Examples:\n"
      "  armature retarget walk.bvh human -o walk.glb\n"
      "  armature retarget walk.bvh human --print-bone-map > map.json\n"
      "  armature retarget walk.bvh human --bone-map map.json -o walk.bvh -o walk.png\n"
      "  armature retarget walk.bvh hero.glb -o hero_walk.glb --report\n"
      "  armature retarget walk.bvh human --obstacles room.json --margin 2cm -o walk.bvh\n"
      "  armature retarget walk.bvh g1.urdf --float-root -o walk.csv\n"
      "  armature retarget motions/ human -o carried/ --to glb");
  command->callback([flags] { run_retarget(*flags); });
}

}  // namespace armature::cli
