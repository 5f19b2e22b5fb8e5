// `armature workspace MODEL`: where a link can get to, and from how many sides. On all cores, interruptible and
// resumable: what is done so far lies in a checkpoint file, and the result does not depend on threads or interruptions.
#include "armature/solve/workspace.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "armature/base/number.hpp"
#include "armature/parallel/workspace_job.hpp"
#include "armature/scene/files.hpp"
#include "commands.hpp"
#include "large_job.hpp"
#include "picture.hpp"
#include "solving.hpp"
#include "workspace_files.hpp"

namespace armature::cli {
namespace {

struct WorkspaceFlags {
  std::string model, tip, base, point;
  WorkspaceOptions options;
  std::vector<std::string> out;
  JobFlags job;
  double every = 5.0;
  ReadOptions read;
  bool json = false;
};

const char* phase_label(Workspace::Phase phase) {
  static constexpr const char* kLabels[] = {"random poses ", "border cells ", "orientations ", "done"};
  return kLabels[static_cast<std::size_t>(phase)];
}

// False when a signal stopped it.
bool compute(Workspace& w, const WorkspaceFlags& flags, Ranks* ranks, const std::string& checkpoint) {
  const StopSignals signals;
  using Clock = std::chrono::steady_clock;
  auto saved = Clock::now();
  Status kept;
  std::optional<Progress> progress;
  JobOptions options;
  options.threads = thread_count(flags.job);
  options.ranks = ranks;
  Workspace::Phase phase = Workspace::Phase::done;
  options.progress = [&](double /*of this phase's rest*/) {
    if (w.phase() != phase) progress.emplace(phase_label(phase = w.phase()));
    progress->at(w.progress());
    const double since = std::chrono::duration<double>(Clock::now() - saved).count();
    if (!checkpoint.empty() && since >= flags.every) {
      kept = write_file_atomically(checkpoint, w.save());
      saved = Clock::now();
    }
    return kept.ok() && StopSignals::received() == 0;
  };
  const bool done = need(compute_workspace(w, options));
  need(kept);
  return done;
}

std::string workspace_extension(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(dot + 1);
}

void check_output(const std::string& path) {
  const std::string extension = workspace_extension(path);
  if (extension == "png" && !has_png()) write_picture(path, Svg(1, 1));  // says what to do
  for (const char* known : {"ply", "csv", "json", "svg", "png"}) {
    if (extension == known) return;
  }
  throw BadInput{fmt::format("A workspace is written as .ply, .csv, .json, .svg or .png, not {}.", in_quotes(path))};
}

void write_workspace(const std::string& path, const Model& model, const Workspace& w) {
  const std::string extension = workspace_extension(path);
  if (extension == "ply") {
    write_output(path, workspace_to_ply(model, w));
  } else if (extension == "csv") {
    write_output(path, workspace_to_csv(w));
  } else if (extension == "json") {
    write_output(path, workspace_to_json(model, w, true).dump() + "\n");
  } else {
    write_picture(path, draw_workspace(model, w));
  }
}

void run_workspace(const WorkspaceFlags& flags) {
  const LoadedModel loaded = need(open_model(flags.model, flags.read));
  const Model& model = loaded.model;
  WorkspaceOptions options = flags.options;
  options.tip = tip_of(model, flags.tip);
  options.base = base_of(model, flags.base);
  if (!flags.point.empty()) {
    const std::vector<double> p = need(parse_numbers(flags.point, "--point"));
    if (p.size() != 3) throw BadInput{"--point takes 3 numbers x,y,z in the link's frame."};
    options.point = Vec3(p[0], p[1], p[2]);
  }
  for (const std::string& path : flags.out) check_output(path);
  Workspace w = need(Workspace::make(model, options));
  Ranks* const ranks = ranks_of(flags.job);
  const std::string checkpoint = !is_first(ranks)                ? ""
                                 : !flags.job.checkpoint.empty() ? flags.job.checkpoint
                                 : flags.out.empty()             ? ""
                                                                 : flags.out.front() + ".part";
  std::error_code failed;
  if (!checkpoint.empty() && std::filesystem::exists(checkpoint, failed)) {
    if (const Status status = w.restore(need(read_file(checkpoint))); !status) {
      throw BadInput{
          fmt::format("{} is the checkpoint of another run (other model or options): finish that one, "
                      "delete the file, or name another with --checkpoint.",
                      in_quotes(checkpoint))};
    }
    fmt::print(stderr, "Going on from {}: {:.0f} % of the {}.\n", checkpoint, 100.0 * w.progress(),
               trimmed_sentence(phase_label(w.phase())));
  }
  const auto begin = std::chrono::steady_clock::now();
  if (!compute(w, flags, ranks, checkpoint)) {
    if (!checkpoint.empty()) need(write_file_atomically(checkpoint, w.save()));
    if (is_first(ranks)) quit_interrupted(checkpoint);
  }
  if (!is_first(ranks)) return;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const std::string& path : flags.out) write_workspace(path, model, w);
  if (!checkpoint.empty()) std::filesystem::remove(checkpoint, failed);
  if (flags.json) {
    print_answer(workspace_to_json(model, w, false));
    return;
  }
  const std::string unit = w.grid().flat_count() == 0 ? "m³" : w.grid().flat_count() == 1 ? "m²" : "m";
  fmt::print("{} of {}\n", bold(model.link_name(w.tip())), printable(model.name()));
  fmt::print("  within reach     {} {} ({} cells of side {})\n", pretty_number(w.volume(), 5), unit,
             w.reachable_cells(), pretty_number(w.grid().cell, 4));
  fmt::print("  by random poses  {} {} (cells hit by {} poses)\n", pretty_number(w.sampled_volume(), 5), unit,
             options.samples);
  if (options.orientations > 0) {
    fmt::print("  dexterous share  {:.1f} % of {} orientations, mean over reachable cells\n",
               100.0 * w.mean_dexterity(), options.orientations);
  }
  if (w.reachable_cells() == 0) {
    fmt::print("  The point moves on a line or a surface only, which fills no cell.\n");
  }
  fmt::print("  time             {:.1f} s\n", seconds);
  for (const std::string& path : flags.out) fmt::print("  written          {}\n", path);
}

}  // namespace

void add_workspace(CLI::App& app) {
  auto flags = std::make_shared<WorkspaceFlags>();
  CLI::App* command = app.add_subcommand("workspace", "Where a link can get to, and from how many sides");
  add_model_argument(*command, flags->model);
  command->add_option("--tip", flags->tip, "The link (may be left out when there is only one end)");
  command->add_option("--base", flags->base, "The link from which positions are seen (default: the world)");
  command->add_option("--point", flags->point, "x,y,z of the point in the link's frame (default: its origin)");
  command->add_option("--cells", flags->options.cells, "Cells along the longest side")->capture_default_str();
  command->add_option("--samples", flags->options.samples, "Random poses before inverse kinematics decides the border")
      ->capture_default_str();
  command
      ->add_option("--orientations", flags->options.orientations,
                   "Orientations tried per cell, for the dexterous share; 0 leaves it out")
      ->capture_default_str();
  command->add_option("--seed", flags->options.seed, "Of the random poses")->capture_default_str();
  command->add_option("-o,--out", flags->out,
                      "Output file: .ply, .csv, .json, .svg or .png; may be given several times");
  add_job_flags(*command, flags->job, true);
  command->add_option("--checkpoint-every", flags->every, "Seconds between checkpoints")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 86400.0));
  add_json_flag(*command, flags->json);
  add_read_options(*command, flags->read);
  command->footer(
      "Random poses mark cells, then inverse kinematics decides those at the border: a cell counts when its centre\n"
      "can be reached. Ctrl-C and kill keep what is done; the same command goes on from there, with the same result\n"
      "to the last byte.\n\n"
      "Examples:\n"
      "  armature workspace two_link --tip tip --cells 200 -o annulus.svg\n"
      "  armature workspace panda --tip panda_tcp --orientations 60 -o panda.ply -o panda.png\n"
      "  armature workspace human --tip right_hand --base chest --json");
  command->callback([flags] { run_workspace(*flags); });
}

}  // namespace armature::cli
