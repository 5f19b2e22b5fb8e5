// `armature workspace MODEL`: where a link can get to, and from how many sides. On all cores, interruptible and
// resumable: what is done so far lies in a checkpoint file, and the result does not depend on threads or interruptions.
#include "armature/solve/workspace.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "armature/base/number.hpp"
#include "armature/scene/parallel.hpp"
#include "commands.hpp"
#include "picture.hpp"
#include "solving.hpp"
#include "workspace_files.hpp"

namespace armature::cli {
namespace {

struct WorkspaceFlags {
  std::string model, tip, base, point;
  WorkspaceOptions options;
  std::vector<std::string> out;
  std::string checkpoint;
  double every = 5.0;
  int threads = 0;
  ReadOptions read;
  bool json = false;
};

std::atomic<int> stop_signal{0};
extern "C" void note_stop_signal(int signal) { stop_signal = signal; }

// Ctrl-C and kill end the work at the next chunk instead of at once.
class StopSignals {
 public:
  StopSignals() {
    stop_signal = 0;
    struct sigaction action {};
    action.sa_handler = note_stop_signal;
    sigaction(SIGINT, &action, &kept_[0]);
    sigaction(SIGTERM, &action, &kept_[1]);
  }
  ~StopSignals() {
    sigaction(SIGINT, &kept_[0], nullptr);
    sigaction(SIGTERM, &kept_[1], nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  struct sigaction kept_[2]{};
};

const char* phase_label(Workspace::Phase phase) {
  static constexpr const char* kLabels[] = {"random poses ", "border cells ", "orientations ", "done"};
  return kLabels[static_cast<std::size_t>(phase)];
}

// False when a signal stopped it; what is done so far is in the checkpoint then.
bool compute(Workspace& w, const WorkspaceFlags& flags, const std::string& checkpoint) {
  const StopSignals signals;
  std::optional<Progress> bar;
  std::optional<Workspace::Phase> phase;
  const auto show = [&](double fraction) {
    if (phase != w.phase()) bar.emplace(phase_label(w.phase()));
    phase = w.phase();
    bar->at(fraction);
    return stop_signal == 0;
  };
  return need(finish_workspace(w, {flags.threads, show, checkpoint, flags.every}));
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
  const std::string checkpoint = !flags.checkpoint.empty() ? flags.checkpoint
                                 : flags.out.empty()       ? ""
                                                           : flags.out.front() + ".part";
  if (need(restore_workspace(w, checkpoint))) {
    fmt::print(stderr, "Going on from {}: {:.0f} % of the {}.\n", checkpoint, 100.0 * w.progress(),
               trimmed_sentence(phase_label(w.phase())));
  }
  const auto begin = std::chrono::steady_clock::now();
  if (!compute(w, flags, checkpoint)) {
    if (checkpoint.empty()) {
      fmt::print(stderr, "Interrupted; nothing is kept (with -o FILE or --checkpoint FILE it would be).\n");
    } else {
      fmt::print(stderr, "Interrupted; what is done so far is in {}. The same command goes on from there.\n",
                 checkpoint);
    }
    throw Quit{128 + stop_signal};
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const std::string& path : flags.out) write_workspace(path, model, w);
  std::error_code failed;
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
  command->add_option("--checkpoint", flags->checkpoint,
                      "Where unfinished work is kept (default: the first -o and .part)");
  command->add_option("--checkpoint-every", flags->every, "Seconds between checkpoints")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 86400.0));
  command->add_option("--threads", flags->threads, "At most so many threads; 0: one per core")
      ->check(CLI::Range(0, 1024));
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
