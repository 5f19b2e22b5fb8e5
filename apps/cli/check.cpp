// `armature check FILE`: every problem of a model file, one sentence each; with --pose or --obstacles, what touches.
#include <fmt/format.h>

#include <memory>

#include "armature/base/number.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/inertia.hpp"
#include "armature/scene/exact.hpp"
#include "armature/scene/report_json.hpp"
#include "armature/solve/free_answers.hpp"
#include "commands.hpp"
#include "common.hpp"
#include "motion_answer.hpp"
#include "motion_input.hpp"

namespace armature::cli {
namespace {

std::string millimetres(double length) { return pretty_number(1e3 * length, 4) + " mm"; }

struct CheckFlags : CollisionFlags {
  std::string file, pose, motion, clip;
  ReadOptions read;
  bool json = false;
};

// Which frames of a motion touch something.
bool check_frames(const CheckFlags& flags) {
  const bool own = flags.motion == flags.file;
  LoadedMotion motion = load_motion(flags.file, own ? "" : flags.motion, flags.clip, flags.read);
  need_frames(motion, flags.motion);
  const std::optional<ClearMotion> clear =
      clear_motion(flags, LoadedModel{motion.document, motion.model, motion.beside}, motion.clip, false);
  if (!clear) throw BadInput{"With --collision off there is nothing to look at."};
  Json answer = {{"problems", Json::array()}, {"frames", motion.clip.frame_count()}};
  tell_clear(*clear, answer, flags.json);
  if (flags.json) print_answer(answer, clear->ok());
  return clear->ok();
}

// What touches at the pose, and what is nearest.
bool check_pose(const CheckFlags& flags) {
  const LoadedModel loaded = need(open_model(flags.file, flags.read));
  const Model& model = loaded.model;
  const bool json = flags.json;
  bool exact = false;
  Problem problem;
  problem.model = model;
  problem.collision = Collision::search;
  std::vector<std::string> notes;
  use_collision_flags(flags, loaded, problem, exact, notes);
  problem.collision = Collision::search;
  CompiledProblem compiled;
  need(compiled.interpret(problem, SolveOptions{}));
  const VecX q = pose_of(model, flags.pose, start_pose(model));
  FreeAnswers free;
  free.prepare(compiled);
  Report report;
  free.describe(q.data(), report);
  add_notes(loaded.document.notes);
  add_notes(notes);
  const bool ok = report.collisions.empty();
  const bool near = report.clearance < kClearanceSeen * model.size();
  if (json) {
    JsonText text;
    text.begin_object().key("problems").begin_array().end();
    if (near) {
      text.member("clearance", report.clearance);
    } else {
      text.key("clearance").raw("null");
    }
    text.member("exact", exact).key("collisions");
    write_collisions(text, report.collisions);
    print_answer(Json::parse(text.end().text()), ok);
    return ok;
  }
  if (ok) {
    fmt::print("{}: {}\n", bold("free"),
               near ? "the nearest things are " + millimetres(report.clearance) + " apart"
                    : "nothing is nearer than " + millimetres(kClearanceSeen * model.size()));
    return true;
  }
  fmt::print("{}: {} pair{}\n", bold("touches"), report.collisions.size(), report.collisions.size() == 1 ? "" : "s");
  for (const Touch& touch : report.collisions) {
    const std::string &a = touch.a, &b = touch.b;
    if (touch.depth > 0.0) {
      fmt::print("  {} is {} inside {}\n", printable(a), millimetres(touch.depth), printable(b));
    } else if (touch.depth == 0.0) {
      fmt::print("  {} touches {}\n", printable(a), printable(b));
    } else {
      fmt::print("  {} is only {} from {}\n", printable(a), millimetres(-touch.depth), printable(b));
    }
  }
  return false;
}

}  // namespace

void add_check(CLI::App& app) {
  auto options = std::make_shared<CheckFlags>();
  CLI::App* command = app.add_subcommand("check", "What is wrong with a file, where, and what would be right");
  command->add_option("FILE", options->file, "A file, - for standard input, or the name of a built-in model")
      ->required();
  command->add_option("--pose", options->pose, "Also whether anything touches at this pose: a name, joint=value,...");
  command->add_option("--motion", options->motion,
                      "Also in which frames of this motion: .bvh, .glb, .csv, .jsonl; may be FILE itself");
  command->add_option("--clip", options->clip, "Which of several motions: its name or number");
  add_collision_flags(*command, *options, "With --pose or --motion: it");
  add_json_flag(*command, options->json);
  add_read_options(*command, options->read);
  command->footer(
      "Exit code 0: sound and free, 1: problems were found or something touches, 2: there is no such file.\n\n"
      "Examples:\n"
      "  armature check robot.urdf\n"
      "  armature check panda --pose ready --obstacles shelf.json --margin 5mm\n"
      "  armature check robot.urdf --mesh-root meshes --pose home --exact\n"
      "  armature check panda --motion pick.csv --obstacles shelf.json\n"
      "  armature check model.json --json");
  command->callback([options] {
    if (!options->motion.empty()) {
      if (!check_frames(*options)) throw Quit{kNotReached};
      return;
    }
    if (!options->pose.empty() || !options->obstacles.empty() || !options->margin.empty() || options->exact) {
      if (!check_pose(*options)) throw Quit{kNotReached};
      return;
    }
    const Result<Document> document = read_document(need(find_model(options->file, options->read)), options->read);
    std::vector<std::string> problems;
    std::vector<std::string> notes;
    std::string loops;
    Json closures = Json::object();
    if (!document.ok()) {
      problems.push_back(document.message());
    } else {
      problems = find_mistakes(document->linkage);
      notes = document->notes;
      for (const std::string& mistake : document->mistakes) std::erase(notes, mistake);
      if (problems.empty()) {
        const Model model = need(compile(document->linkage));
        notes.insert(notes.end(), model.notes().begin(), model.notes().end());
        if (!model.closures().empty()) {
          const MechanismReport mechanism = analyze_mechanism(model);
          (mechanism.assembled ? notes : problems)
              .insert((mechanism.assembled ? notes : problems).end(), mechanism.notes.begin(), mechanism.notes.end());
          loops = fmt::format("{} loop{} {}", model.closures().size(), model.closures().size() == 1 ? "" : "s",
                              mechanism.assembled
                                  ? fmt::format("{}, mobility {}", model.closures().size() == 1 ? "closes" : "close",
                                                mechanism.mobility)
                                  : "cannot be closed");
          closures = {{"count", model.closures().size()},
                      {"assembled", mechanism.assembled},
                      {"closure_error", number_to_json(mechanism.closure_error)},
                      {"mobility", mechanism.assembled ? Json(mechanism.mobility) : Json(nullptr)}};
        }
      }
    }
    if (document.ok()) {
      problems.insert(problems.end(), document->mistakes.begin(), document->mistakes.end());
      for (const Link& link : document->linkage.links) {
        const Status sound = check_moments(inertia_of(link), "Link " + in_quotes(link.name));
        if (!sound) problems.push_back(sound.message());
      }
    }
    add_notes(notes);
    if (options->json) {
      Json list = Json::array();
      for (const std::string& problem : problems) list.push_back({{"message", problem}});
      print_answer({{"file", options->file}, {"problems", list}, {"closures", closures}}, problems.empty());
    } else {
      if (problems.empty()) {
        fmt::print("{}: sound{}\n", options->file, loops.empty() ? "" : "; " + loops);
      } else {
        fmt::print("{}: {} problem{}\n", options->file, problems.size(), problems.size() == 1 ? "" : "s");
      }
      for (const std::string& problem : problems) fmt::print("  {}\n", printable(problem));
    }
    if (!problems.empty()) throw Quit{kNotReached};
  });
}

}  // namespace armature::cli
