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
#include "armature/scene/target_table.hpp"
#include "base_for.hpp"
#include "commands.hpp"
#include "large_job.hpp"
#include "picture.hpp"
#include "solving.hpp"
#include "workspace_files.hpp"

namespace armature::cli {
namespace {

struct WorkspaceFlags {
  std::string model, tip, base, point, region, cone, cone_axis, query, base_for, shard;
  int headings = 8, join = 0;
  WorkspaceOptions options;
  std::vector<std::string> out;
  JobFlags job;
  double every = 5.0;
  ReadOptions read;
  bool json = false;
  bool cells_said = false;
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

// "x0..x1,y0..y1,z0..z1"; an axis left empty is not bounded.
void read_region(const WorkspaceFlags& flags, WorkspaceOptions& options) {
  if (!flags.cone_axis.empty()) options.cone_axis = need(parse_place(flags.cone_axis, "--cone-axis"));
  if (!flags.cone.empty()) {
    options.cone = need(parse_quantity(flags.cone, "angle", "--cone"));
    if (options.orientations == 0) throw BadInput{"--cone chooses among --orientations; say how many."};
  }
  if (flags.region.empty()) return;
  std::size_t at = 0;
  for (int k = 0; k < 3; ++k) {
    const std::size_t end = std::min(flags.region.find(',', at), flags.region.size());
    const std::string range = at > end ? "" : flags.region.substr(at, end - at);
    at = end + 1;
    if (range.empty()) continue;
    std::string from, to;
    if (!split_range(range, from, to)) {
      throw BadInput{"--region takes x0..x1,y0..y1,z0..z1, such as 0.2..0.8,-50cm..50cm,0..1; not " +
                     in_quotes(flags.region) + "."};
    }
    options.region_lower[k] = need(parse_quantity(from, "length", "--region"));
    options.region_upper[k] = need(parse_quantity(to, "length", "--region"));
  }
  if (at <= flags.region.size()) throw BadInput{"--region has three ranges, one per axis."};
}

// Which of the queried places can be reached: the answer's rows, and whether all of them can.
Json answer_queries(const WorkspaceFlags& flags, const Workspace& w, bool& all) {
  SceneArguments arguments;
  arguments.model = flags.model;
  arguments.tip = flags.tip;
  arguments.base = flags.base;
  arguments.read = flags.read;
  Scene scene = need(read_scene("{}", "", with_files(arguments)));
  const Targets table = need(Targets::open(flags.query));
  TargetPiece piece;
  Json rows = Json::array();
  for (int number = 0; number < table.piece_count(); ++number) {
    table.read(number, scene, piece);
    need(piece.ended);
    for (int k = 0; k < piece.count; ++k) {
      const Goal& goal = piece.goals[static_cast<std::size_t>(k)];
      const auto* position = std::get_if<PositionGoal>(&goal);
      const auto* pose = std::get_if<PoseGoal>(&goal);
      if (position == nullptr && pose == nullptr) throw BadInput{"--query takes places, or places with orientations."};
      const Vec3 place = position != nullptr ? position->target : pose->target.position;
      const int cell = w.query(place);
      all = all && cell >= 0;
      Json row;
      const std::string& id = piece.ids[static_cast<std::size_t>(k)];
      if (!id.empty()) row["id"] = Json::parse(id);
      row["position"] = numbers_to_json(place.data(), 3);
      row["reachable"] = cell >= 0;
      if (w.options().orientations > 0) row["dexterity"] = cell >= 0 ? w.dexterity(cell) : 0.0;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

void run_base_for(const WorkspaceFlags& flags) {
  if (!flags.shard.empty() || flags.join > 0 || !flags.query.empty() || !flags.cone.empty() || !flags.base.empty() ||
      !flags.point.empty() || flags.options.orientations > 0) {
    throw BadInput{
        "--base-for goes with --tip, --cells, --headings, --region, -o and the flags of large jobs; the targets say "
        "the rest."};
  }
  WorkspaceOptions region;
  read_region(flags, region);
  BaseForQuestion question;
  question.arguments.model = flags.model;
  question.arguments.tip = flags.tip;
  question.arguments.read = flags.read;
  question.targets = flags.base_for;
  question.options.cells = flags.cells_said ? flags.options.cells : question.options.cells;
  question.options.headings = flags.headings;
  question.options.region_lower = region.region_lower;
  question.options.region_upper = region.region_upper;
  question.out = flags.out;
  question.json = flags.json;
  answer_base_for(question, flags.job);
}

// "2/8": the second of eight.
void read_shard(const std::string& text, WorkspaceOptions& options) {
  const std::size_t slash = text.find('/');
  NumberWithUnit part, whole;
  const bool read = slash != std::string::npos && parse_number_with_unit(text.substr(0, slash), part) &&
                    parse_number_with_unit(text.substr(slash + 1), whole) && part.value == std::floor(part.value) &&
                    whole.value == std::floor(whole.value);
  if (!read || !(part.value >= 1 && part.value <= whole.value && whole.value >= 2 && whole.value <= 100000)) {
    throw BadInput{"--shard takes K/N, such as 2/8: the second of eight parts; not " + in_quotes(text) + "."};
  }
  options.shard = static_cast<int>(part.value) - 1;
  options.shards = static_cast<int>(whole.value);
}
std::string shard_file(const std::string& out, int shard, int shards) {
  return fmt::format("{}.shard{}of{}", out, shard + 1, shards);
}

// What the shards found, out of the files that they left.
Workspace joined(const WorkspaceFlags& flags, const Model& model, const WorkspaceOptions& options) {
  Workspace all = need(Workspace::make(model, options));
  for (int k = 0; k < flags.join; ++k) {
    WorkspaceOptions part = options;
    part.shard = k;
    part.shards = flags.join;
    const std::string file = shard_file(flags.out.front(), k, flags.join);
    Workspace shard = need(Workspace::make(model, part));
    if (const Status status = shard.restore(need(read_file(file))); !status) {
      throw BadInput{fmt::format("{} is no shard of this workspace (other model or options).", in_quotes(file))};
    }
    need(all.join(shard));
  }
  return all;
}

void run_workspace(const WorkspaceFlags& flags) {
  if (!flags.base_for.empty()) return run_base_for(flags);
  const LoadedModel loaded = need(open_model(flags.model, flags.read));
  const Model& model = loaded.model;
  WorkspaceOptions options = flags.options;
  options.tip = tip_of(model, flags.tip);
  options.base = base_of(model, flags.base);
  if (!flags.point.empty()) options.point = need(parse_place(flags.point, "--point"));
  read_region(flags, options);
  for (const std::string& path : flags.out) check_output(path);
  if ((!flags.shard.empty() || flags.join > 0) && flags.out.empty()) {
    throw BadInput{"Shards are kept beside the result: say -o FILE."};
  }
  if (!flags.shard.empty()) {
    if (flags.join > 0) throw BadInput{"--shard computes a part, --join puts the parts together: one at a time."};
    read_shard(flags.shard, options);
  }
  if (flags.join == 1) throw BadInput{"--join takes the number of shards, 2 or more."};
  const std::string out = options.shards > 1  ? shard_file(flags.out.front(), options.shard, options.shards)
                          : flags.out.empty() ? ""
                                              : flags.out.front();
  Workspace w = flags.join > 0 ? joined(flags, model, options) : need(Workspace::make(model, options));
  Ranks* const ranks = ranks_of(flags.job);
  const std::string checkpoint = !is_first(ranks) || flags.join > 0 ? ""
                                 : !flags.job.checkpoint.empty()    ? flags.job.checkpoint
                                 : out.empty()                      ? ""
                                                                    : out + ".part";
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
  if (options.shards > 1) {
    need(write_file_atomically(out, w.save()));
    std::filesystem::remove(checkpoint, failed);
    if (flags.json) return print_answer({{"shard", options.shard + 1}, {"shards", options.shards}, {"out", out}});
    fmt::print(
        "Shard {} of {} is in {} ({:.1f} s); when all are there, the same command with --join {} instead of "
        "--shard makes the result of them.\n",
        options.shard + 1, options.shards, out, seconds, options.shards);
    return;
  }
  for (const std::string& path : flags.out) write_workspace(path, model, w);
  for (int k = 0; k < flags.join; ++k) std::filesystem::remove(shard_file(out, k, flags.join), failed);
  if (!checkpoint.empty()) std::filesystem::remove(checkpoint, failed);
  bool all = true;
  Json queries;
  if (!flags.query.empty()) queries = answer_queries(flags, w, all);
  if (flags.json) {
    Json answer = workspace_to_json(model, w, false);
    if (!flags.query.empty()) answer["queries"] = queries;
    print_answer(answer, all);
    if (!all) throw Quit{kNotReached};
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
  for (const Json& row : queries) {
    fmt::print("  {} {}{}\n", row["position"].dump(), row["reachable"].get<bool>() ? "reachable" : "not reachable",
               row.contains("dexterity") ? fmt::format(", {:.0f} %", 100.0 * row["dexterity"].get<double>()) : "");
  }
  if (!all) throw Quit{kNotReached};
}

}  // namespace

void add_workspace(CLI::App& app) {
  auto flags = std::make_shared<WorkspaceFlags>();
  CLI::App* command = app.add_subcommand("workspace", "Where a link can get to, and from how many sides");
  add_model_argument(*command, flags->model);
  command->add_option("--tip", flags->tip, "The link (may be left out when there is only one end)");
  command->add_option("--base", flags->base, "The link from which positions are seen (default: the world)");
  command->add_option("--point", flags->point, "x,y,z of the point in the link's frame (default: its origin)");
  command->add_option("--cells", flags->options.cells, "Cells along the longest side (--base-for: 30)")
      ->capture_default_str()
      ->each([flags](const std::string&) { flags->cells_said = true; });
  command->add_option("--samples", flags->options.samples, "Random poses before inverse kinematics decides the border")
      ->capture_default_str();
  command
      ->add_option("--orientations", flags->options.orientations,
                   "Orientations tried per cell, for the dexterous share; 0 leaves it out")
      ->capture_default_str();
  command->add_option("--region", flags->region,
                      "Only this box: x0..x1,y0..y1,z0..z1 in the base's frame; an axis may be left empty");
  command->add_option("--cone", flags->cone,
                      "Only orientations whose z axis lies within this angle of --cone-axis, such as 30deg");
  command->add_option("--cone-axis", flags->cone_axis, "x,y,z in the base's frame (default: 0,0,-1, tool down)");
  command
      ->add_option("--query", flags->query,
                   "Places to look up in the result (.csv, .jsonl, .npy, .npz); exit code 1 when one is not reachable")
      ->type_name("FILE");
  command
      ->add_option("--base-for", flags->base_for,
                   "Where to put the robot instead, so that it reaches these targets (.csv, .jsonl, .npy, .npz)")
      ->type_name("FILE");
  command->add_option("--headings", flags->headings, "With --base-for: turns about the vertical that are tried")
      ->capture_default_str();
  command->add_option("--shard", flags->shard, "K/N: only this part of the work, kept beside -o FILE until --join");
  command->add_option("--join", flags->join, "The result of so many shards that are done")
      ->transform(within(1, 100000));
  command->add_option("--seed", flags->options.seed, "Of the random poses")->capture_default_str();
  command->add_option("-o,--out", flags->out,
                      "Output file: .ply, .csv, .json, .svg or .png; may be given several times");
  add_job_flags(*command, flags->job, true);
  command->add_option("--checkpoint-every", flags->every, "Seconds between checkpoints")
      ->capture_default_str()
      ->transform(within(0.0, 86400.0, "time"));
  add_json_flag(*command, flags->json);
  add_read_options(*command, flags->read);
  command->footer(
      "Random poses mark cells, then inverse kinematics decides those at the border: a cell counts when its centre\n"
      "can be reached. Ctrl-C and kill keep what is done; the same command goes on from there, with the same result\n"
      "to the last byte. With --base-for every place of the floor around the targets is tried: --region bounds where "
      "the\n"
      "robot may stand (heights are tried where z has bounds), and exit code 1 says that no place reaches all "
      "targets.\n\n"
      "Examples:\n"
      "  armature workspace two_link --tip tip --cells 200 -o annulus.svg\n"
      "  armature workspace panda --tip panda_tcp --orientations 60 -o panda.ply -o panda.png\n"
      "  armature workspace human --tip right_hand --base chest --json\n"
      "  armature workspace panda --cells 60 --orientations 60 -o map.json --shard 2/8    then: --join 8\n"
      "  armature workspace panda --tip panda_tcp --base-for grasps.csv -o places.svg");
  command->callback([flags] { run_workspace(*flags); });
}

}  // namespace armature::cli
