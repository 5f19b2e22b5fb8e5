// `armature animate MODEL`: motions of three kinds. A goal slides to its place and the pose follows (as in the
// textbook's figures), key poses are interpolated (--keys), or effectors follow prescribed paths (--path).
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/scene/files.hpp"
#include "armature/solve/sequence.hpp"
#include "commands.hpp"
#include "draw.hpp"
#include "motion_files.hpp"
#include "motion_input.hpp"
#include "picture.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct AnimateOptions : SolveFlags {
  int frames = 21;
  int steps_per_frame = 1;
  std::string keys, path;
  std::vector<std::string> out;
  double frame_rate = 0.0;
};

Json place_to_json(const Vec3& place, bool planar) { return numbers_to_json(place.data(), planar ? 2 : 3); }

// Frames as one JSON object, for programs that want neither lines nor a linkage.
std::string motion_json(const Model& model, const Clip& clip, const Json& summary) {
  Json json;
  json["format"] = "armature-frames";
  json["version"] = 1;
  json["model"] = model.name();
  json["frame_time"] = clip.frame_time;
  json["columns"] = Json::array();
  for (int i = 0; i < model.q_size(); ++i) json["columns"].push_back(model.coordinate_name(i));
  json["summary"] = summary;
  json["frames"] = Json::array();
  for (int f = 0; f < clip.frame_count(); ++f) {
    json["frames"].push_back(numbers_to_json(clip.frame(f), static_cast<std::size_t>(clip.q_size)));
  }
  return json.dump() + "\n";
}

void write_animation(const std::string& path, const LoadedModel& loaded, const Clip& clip, const std::string& trails,
                     const Json& summary) {
  if (is_picture(path)) {
    write_picture(path, draw_strip({loaded.document, loaded.model, clip, false}, 6, trails, false));
  } else if (path.size() > 5 && path.substr(path.size() - 5) == ".json") {
    write_output(path, motion_json(loaded.model, clip, summary));
  } else {
    write_motion(path, loaded.document.linkage, clip);
  }
}

// Steps and speeds against the model's limits: true of every motion.
Json motion_summary(const Model& model, const Clip& clip) {
  const MotionCheck check = check_motion(model, clip);
  Json json;
  json["frames"] = clip.frame_count();
  json["seconds"] = clip.duration();
  const int joint = model.v_size() > 0 ? model.velocity_joint(check.largest_step_index) : -1;
  json["largest_step"] = {{"value", check.largest_step},
                          {"joint", joint >= 0 ? model.joint(joint).name : ""},
                          {"frame", check.largest_step_frame}};
  json["largest_speed_ratio"] = check.largest_speed_ratio;
  json["faults"] = Json::array();
  for (const MotionFault& fault : check.faults) {
    const int owner = fault.too_fast ? model.velocity_joint(fault.index) : model.coordinate_joint(fault.index);
    json["faults"].push_back({{"joint", model.joint(owner).name},
                              {"frame", fault.frame},
                              {"what", fault.too_fast ? "faster than its limit" : "outside its limits"},
                              {"value", fault.value},
                              {"limit", fault.limit}});
  }
  return json;
}

void print_motion_summary(const Json& json) {
  fmt::print("{} frames, {} s\n", json["frames"].get<int>(), pretty_number(json["seconds"].get<double>(), 4));
  const Json& step = json["largest_step"];
  fmt::print("  largest joint step  {} ({}, frame {})\n", pretty_number(step["value"].get<double>(), 4),
             printable(step["joint"].get<std::string>()), step["frame"].get<int>());
  if (json.contains("unreached")) {
    const Json& unreached = json["unreached"];
    fmt::print("  frames not reached  {}{}\n", unreached.size(),
               unreached.empty() ? "" : fmt::format(" (the first is frame {})", unreached[0].get<int>()));
    fmt::print("  near singular       {} frames\n", json["near_singular"].size());
    fmt::print("  branch jumps        {}\n", json["jumps"].size());
    fmt::print("  largest error       {}\n", pretty_number(json["largest_error"].get<double>(), 4));
  }
  for (const Json& fault : json["faults"]) {
    fmt::print("  note: {} is {} in frame {}: {}, limit {}\n", printable(fault["joint"].get<std::string>()),
               fault["what"].get<std::string>(), fault["frame"].get<int>(),
               pretty_number(fault["value"].get<double>(), 4), pretty_number(fault["limit"].get<double>(), 4));
  }
}

void add_track_summary(const Track& track, Json& json) {
  for (const char* name : {"unreached", "near_singular", "jumps"}) json[name] = Json::array();
  double largest = 0.0;
  int solves = 0;
  for (std::size_t f = 0; f < track.frames.size(); ++f) {
    const TrackFrame& frame = track.frames[f];
    if (frame.outcome != Outcome::converged) json["unreached"].push_back(f);
    if (frame.near_singular) json["near_singular"].push_back(f);
    if (frame.jump) json["jumps"].push_back(f);
    largest = std::max(largest, frame.position_error);
    solves += frame.solves;
  }
  json["largest_error"] = largest;
  json["solves"] = solves;
}

// --keys and --path: makes the motion, writes it, says how it went.
void animate_file(const AnimateOptions& options) {
  if (!options.keys.empty() && !options.path.empty()) throw BadInput{"Either --keys or --path, not both."};
  if (!options.goal.empty()) throw BadInput{"--goal does not go with --keys or --path."};
  const LoadedModel loaded = need(load_model(options.model, options.read));
  const Model& model = loaded.model;
  Clip clip;
  Json summary;
  bool reached = true;
  std::string trails;
  if (!options.keys.empty()) {
    const KeysFile file = read_keys_file(model, need(read_file(options.keys)), options.keys);
    clip = need(file.keys.to_clip(options.frame_rate > 0.0 ? 1.0 / options.frame_rate : file.frame_time));
    summary = motion_summary(model, clip);
  } else {
    PathFile file = read_path_file(model, need(read_file(options.path)), options.path);
    if (options.frame_rate > 0.0) file.options.frame_time = 1.0 / options.frame_rate;
    if (!options.method.empty()) file.method = options.method;
    for (const GoalPath& path : file.paths) trails += (trails.empty() ? "" : ",") + model.link_name(path.link);
    const Track track = track_path_file(file);
    clip = track.clip;
    summary = motion_summary(model, clip);
    add_track_summary(track, summary);
    reached = track.unreached == 0 || file.options.steps_per_frame > 0;
  }
  clip.name = loaded.document.linkage.name;
  for (const std::string& path : options.out) write_animation(path, loaded, clip, trails, summary);
  if (options.json) {
    summary["out"] = options.out;
    print_json(summary);
  } else {
    print_motion_summary(summary);
    for (const std::string& path : options.out) fmt::print("  written             {}\n", path);
  }
  if (!reached) throw Quit{kNotReached};
}

}  // namespace

void add_animate(CLI::App& app) {
  auto options = std::make_shared<AnimateOptions>();
  CLI::App* command = app.add_subcommand("animate", "Motions: a sliding goal, key poses, or prescribed paths");
  add_solve_flags(*command, *options, "pseudoinverse; with --path what the file says");
  command->add_option("--frames", options->frames, "How many frames, the first of which is the start")
      ->check(CLI::Range(2, 1000000));
  command
      ->add_option("--steps-per-frame", options->steps_per_frame,
                   "Steps of the method a frame; 1 is plain Euler integration, 0 goes on until it converges")
      ->check(CLI::Range(0, 1000000));
  command->add_option("--keys", options->keys, "Key poses in a JSON file (docs/formats/motion_files.md)");
  command->add_option("--path", options->path, "Paths of effectors in a JSON file (docs/formats/motion_files.md)");
  command->add_option(
      "-o,--out", options->out,
      "Where to: .bvh, .glb, .csv, .jsonl, .json, or a film strip as .svg or .png; several times if need be");
  command->add_option("--frame-rate", options->frame_rate, "Frames a second (default: the file's, or 30)")
      ->check(CLI::Range(0.001, 1e6));
  command->footer(
      "With --json each frame gives one line {\"frame\": k, \"goal\": [..], \"pose\": [..], \"effector\": [..]}.\n"
      "With a number of steps every step is taken as the method gives it: no clamp unless --max-step asks for one.\n\n"
      "Examples:\n"
      "  armature animate planar_arm --tip tip --goal -20,5 --method pseudoinverse --json\n"
      "  armature animate planar_arm --tip tip --goal -35,5 --method dls --damping 5\n"
      "  armature animate planar_arm --tip tip --goal -20,5 --method pseudoinverse "
      "--gain joint1=0.1,joint2=0.5,joint3=0.1\n"
      "  armature animate planar_arm --tip tip --goal -20,5 --method pseudoinverse --jacobian-at goal\n"
      "  armature animate panda --tip panda_tcp --goal 0.5,0.3,0.4 --frames 100 --steps-per-frame 0\n"
      "  armature animate human --keys wave.json -o wave.bvh\n"
      "  armature animate panda --path line.json -o line.csv -o line.svg");
  command->callback([options] {
    check_motion_outputs(options->out);
    if (!options->keys.empty() || !options->path.empty()) {
      animate_file(*options);
      return;
    }
    const LoadedModel loaded = need(load_model(options->model, options->read));
    const Model& model = loaded.model;
    const GivenGoal given =
        parse_goal(model, tip_of(model, options->tip), base_of(model, options->base), options->goal);
    Problem problem = problem_of(model, *options);
    problem.goals.push_back(given.goal);
    // A sequence is the textbook's business: its plainest method unless another is asked for.
    const std::unique_ptr<Solver> solver =
        solver_of(options->method.empty() ? "pseudoinverse" : options->method, *options);
    const Sequence sequence = need(
        run_sequence(*solver, problem, start_pose(model, options->start), {options->frames, options->steps_per_frame}));
    Table table({"frame", "goal", "effector", "distance", "pose"});
    const auto list = [](const double* v, int n) {
      std::string text;
      for (int i = 0; i < n; ++i) text += (i == 0 ? "" : ", ") + pretty_number(v[i], 6);
      return text;
    };
    const int shown = given.planar ? 2 : 3;
    for (std::size_t f = 0; f < sequence.frames.size(); ++f) {
      const SequenceFrame& frame = sequence.frames[f];
      const double* q = sequence.clip.frame(static_cast<int>(f));
      if (options->json) {
        Json json;
        json["frame"] = f;
        json["goal"] = place_to_json(frame.goal, given.planar);
        json["pose"] = numbers_to_json(q, static_cast<std::size_t>(model.q_size()));
        json["effector"] = place_to_json(frame.effector, given.planar);
        print_json(json, -1);
      } else {
        table.add({std::to_string(f), list(frame.goal.data(), shown), list(frame.effector.data(), shown),
                   pretty_number((frame.goal - frame.effector).head(shown).norm(), 4), list(q, model.q_size())});
      }
    }
    if (!options->json) fmt::print("{}", table.text());
    Clip clip = sequence.clip;
    if (options->frame_rate > 0.0) clip.frame_time = 1.0 / options->frame_rate;
    for (const std::string& path : options->out) {
      write_animation(path, loaded, clip, model.link_name(tip_of(model, options->tip)), motion_summary(model, clip));
    }
  });
}

}  // namespace armature::cli
