// `armature bench ik MODEL`: how often and how fast goals are reached, beside the solvers people use today.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "armature/geom/rotation.hpp"
#include "armature/scene/files.hpp"
#include "bench_ik.hpp"
#include "commands.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct BenchOptions {
  std::string model, base, tip, robots;
  std::string seed_pose = "middle", goals = "random", methods = "reach", misses;
  int min_dof = 5;
  bool published = false;
  bool no_peers = false;
  bool markdown = false;
  bool json = false;
  BenchSettings settings;
  ReadOptions read;
};

/// One chain to be run, and where it came from.
struct BenchTask {
  std::string file, base, tip, label;
  Json published;  // TRAC-IK's own figures, null where there are none
};

std::vector<BenchTask> tasks_of(const BenchOptions& options) {
  if (options.robots.empty()) return {{options.model, options.base, options.tip, "", nullptr}};
  const std::string text = need(read_file(options.robots));
  const Json list = Json::parse(text, nullptr, false);
  const auto bad = [&](const char* what) { return BadInput{fmt::format("{}: {}", options.robots, what)}; };
  if (list.is_discarded() || !list.is_object() || !list.contains("robots") || !list["robots"].is_array()) {
    throw bad(
        "A list of chains is JSON: {\"robots\": [{\"file\": ..., \"chains\": [{\"base\": ..., \"tip\": ...}]}]}.");
  }
  std::vector<BenchTask> tasks;
  const std::filesystem::path folder = std::filesystem::path(options.robots).parent_path();
  for (const Json& robot : list["robots"]) {
    if (!robot.is_object() || !robot.contains("file") || !robot["file"].is_string() || !robot.contains("chains")) {
      throw bad("Every robot needs a \"file\" and its \"chains\".");
    }
    const std::string file = robot["file"].get<std::string>();
    for (const Json& chain : robot["chains"]) {
      if (!chain.is_object() || !chain.contains("tip") || !chain["tip"].is_string()) {
        throw bad("Every chain needs a \"tip\", and a \"base\" unless that is the world.");
      }
      if (chain.value("dof", 99) < options.min_dof) continue;
      if (options.published && !chain.contains("trac_ik")) continue;
      const std::string name = std::filesystem::path(file).stem().string();
      tasks.push_back({(folder / file).string(), chain.value("base", ""), chain["tip"].get<std::string>(),
                       fmt::format("{}, {}", name, chain.value("label", chain["tip"].get<std::string>())),
                       chain.contains("trac_ik") ? chain["trac_ik"] : Json()});
    }
  }
  if (tasks.empty()) throw bad("No chain is left; see --min-dof and --published.");
  return tasks;
}

std::string percent(double share) {
  return share == 1.0 ? "100.00" : fmt::format("{:.2f}", std::min(99.99, 100.0 * share));
}
std::string micro(double us) {
  if (us == 0.0) return "";
  return us < 100.0 ? fmt::format("{:.2f}", us) : fmt::format("{:.0f}", us);
}

void print_rows(const std::vector<std::vector<std::string>>& rows, bool markdown) {
  if (!markdown) {
    Table table(rows.front());
    for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
    fmt::print("{}", table.text());
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fmt::print("| {} |\n", fmt::join(rows[i], " | "));
    if (i == 0)
      fmt::print("|{}\n", [&] {
        std::string line;
        for (std::size_t k = 0; k < rows[0].size(); ++k) line += "---|";
        return line;
      }());
  }
}

/// A line that `armature ik --targets` reads.
std::string goal_line(const Model& model, const BenchMiss& miss) {
  const Vec3& p = miss.target.position;
  const Quat r(miss.target.rotation);
  return Json{{"target", {p.x(), p.y(), p.z(), r.x(), r.y(), r.z(), r.w()}}, {"start", pose_to_json(model, miss.seed)}}
      .dump();
}

Json row_to_json(const Model& model, const BenchRow& row, bool ours) {
  Json json{{"solver", row.solver},
            {"about", row.about},
            {"poses", row.poses},
            {"solved", row.inside},
            {"solved_share", row.solved_share()},
            {"claimed", row.claimed},
            {"right", row.right},
            {"inside_limits_share", row.inside_share()},
            {"mean_us", row.mean},
            {"median_us", row.median},
            {"p99_us", row.p99},
            {"worst_us", row.worst}};
  if (!ours) return json;
  json["mean_iterations"] = row.iterations;
  json["misses"] = Json::array();
  for (const BenchMiss& miss : row.misses) {
    Json line = Json::parse(goal_line(model, miss));
    line["pose"] = miss.pose;
    line["why"] = miss.why;
    json["misses"].push_back(std::move(line));
  }
  return json;
}

std::string file_name_of(std::string text) {
  for (char& c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return text;
}

void run(const BenchOptions& options) {
  std::vector<std::vector<std::string>> rows{
      {"chain", "joints", "solver", "poses", "solved %", "inside limits %", "mean us", "median", "p99", "worst"}};
  const std::vector<BenchTask> tasks = tasks_of(options);
  Json list = Json::array();
  std::string remarks;
  std::vector<std::string> missing;
  std::string checked_by;
  int missed = 0;
  std::map<std::string, double> logs;  // of the mean times, by solver
  {
    Progress progress("poses");
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const BenchTask& task = tasks[t];
      const LoadedModel loaded = need(open_model(task.file, options.read));
      const Model& model = loaded.model;
      const int tip = tip_of(model, task.tip), base = base_of(model, task.base);
      const std::string label = task.label.empty() ? model.name() : task.label;
      const BenchRun result = bench_chain(model, base, tip, options.settings, [&](double done) {
        progress.at((static_cast<double>(t) + done) / static_cast<double>(tasks.size()));
      });
      missing = result.missing;
      checked_by = result.checked_by;
      Json chain{{"chain", label},          {"file", task.file},
                 {"base", task.base},       {"tip", model.link_name(tip)},
                 {"joints", result.joints}, {"checked_by", checked_by},
                 {"solvers", Json::array()}};
      for (std::size_t r = 0; r < result.rows.size(); ++r) {
        const BenchRow& row = result.rows[r];
        const bool ours = row.ours;
        if (ours) logs[row.solver] += std::log(row.mean);
        rows.push_back({r == 0 ? label : "", r == 0 ? std::to_string(result.joints) : "", row.solver,
                        std::to_string(row.poses), percent(row.solved_share()), percent(row.inside_share()),
                        micro(row.mean), micro(row.median), micro(row.p99), micro(row.worst)});
        chain["solvers"].push_back(row_to_json(model, row, ours));
        if (!ours || row.misses.empty()) continue;
        missed += static_cast<int>(row.misses.size());
        std::string lines;
        for (const BenchMiss& miss : row.misses) lines += goal_line(model, miss) + "\n";
        std::string file = "FILE";
        if (!options.misses.empty()) {
          std::filesystem::create_directories(options.misses);
          file = (std::filesystem::path(options.misses) / (file_name_of(label + " " + row.solver) + ".jsonl")).string();
          write_output(file, lines);
        }
        remarks += fmt::format(
            "\n{} misses {} of {} on {}; to try them again:\n  armature ik {}{} --tip {} --method {} "
            "--tolerance {} --orientation-tolerance {} --targets {}\n",
            row.solver, row.misses.size(), row.poses, label, task.file, task.base.empty() ? "" : " --base " + task.base,
            model.link_name(tip), row.solver.substr(0, row.solver.find(' ')), options.settings.tolerance,
            options.settings.tolerance, file);
        for (std::size_t k = 0; k < std::min<std::size_t>(5, row.misses.size()); ++k) {
          remarks += fmt::format("  {}: {}\n", row.misses[k].why, goal_line(model, row.misses[k]));
        }
      }
      if (!task.published.is_null()) {
        chain["published"] = task.published;
        const auto number = [&](const char* key) { return task.published.value(key, 0.0); };
        if (number("trac_ik_avg_ms") > 0.0) {
          rows.push_back({"", "", "TRAC-IK (published)", "10000",
                          fmt::format("{:.2f}", number("trac_ik_solve_rate_pct")), "",
                          micro(1000.0 * number("trac_ik_avg_ms")), "", "", ""});
        }
      }
      list.push_back(std::move(chain));
    }
  }
  if (options.json) {
    print_answer({{"rows", list}}, missed == 0);
  } else {
    print_rows(rows, options.markdown);
    fmt::print(
        "\n{} goals, seed pose {}, tolerance {} on each of six components, {} ms a solve; answers checked by {}.\n",
        options.goals, options.seed_pose, options.settings.tolerance, 1e3 * options.settings.seconds, checked_by);
    if (tasks.size() > 1) {
      for (const auto& [solver, sum] : logs) {
        fmt::print("{}: {} chains, geometric mean of the mean times {:.2f} us.\n", solver, tasks.size(),
                   std::exp(sum / static_cast<double>(tasks.size())));
      }
    }
    if (remarks.empty()) fmt::print("No goal was missed by {}.\n", fmt::join(options.settings.methods, ", "));
    fmt::print("{}", remarks);
  }
  if (!missing.empty() && !options.no_peers) {
    add_notes(
        {fmt::format("Without {}: not built in. Install liborocos-kdl-dev, libkdl-parser-dev and libdart-dev and "
                     "build again, or say --no-peers.",
                     fmt::join(missing, " and "))});
  }
  if (missed > 0) throw Quit{kNotReached};
}

void add_bench_ik(CLI::App& bench) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = bench.add_subcommand("ik", "Random reachable goals for our solver, KDL's and DART's in one run");
  add_model_argument(*command, options->model)->required(false);
  command->add_option("--base", options->base, "The link whose frame the goals are given in (default: the world)");
  command->add_option("--tip", options->tip, "The link that should arrive");
  command->add_option(
      "--robots", options->robots,
      "Many chains instead of one: a JSON file {\"robots\": [{\"file\", \"chains\": [{\"base\", \"tip\"}]}]}");
  command->add_option("--min-dof", options->min_dof, "With --robots: only chains with so many joints (\"dof\")")
      ->transform(within(0, 99));
  command->add_flag("--published", options->published,
                    "With --robots: only chains with published figures (\"trac_ik\")");
  command->add_option("--poses", options->settings.poses, "Goals for each chain")->transform(within(1, 100000000));
  command->add_option("--peer-poses", options->settings.peer_poses, "Only the first so many of them for KDL and DART");
  command->add_option("--seed-pose", options->seed_pose, "Where solvers start: middle (of the limits) or random")
      ->check(CLI::IsMember({"middle", "random"}));
  command->add_option("--goals", options->goals, "random joint values, or corners: every joint at one of its limits")
      ->check(CLI::IsMember({"random", "corners"}));
  command->add_option("--tolerance", options->settings.tolerance, "On each of the six components, metres and radians")
      ->transform(within(1e-300, 1e300));
  command->add_option("--max-time", options->settings.seconds, "Seconds that one solve may take")
      ->transform(within(1e-300, 1e300, "time"));
  command->add_option("--repeats", options->settings.repeats, "Time every solve so often and count the fastest")
      ->transform(within(1, 1000));
  command
      ->add_option("--threads", options->settings.threads,
                   "Threads of our methods; 0: one per core. Times are then those of a machine with so many at work")
      ->capture_default_str()
      ->transform(within(0, 1024));
  command->add_option("--methods", options->methods, "Our methods to run: a,b,c");
  command->add_option("--seed", options->settings.seed, "Of the random goals")->transform(within(0, 2147483647));
  command->add_flag_callback(
      "--no-batch", [options] { options->settings.batch = false; }, "Not all goals together as well");
  command->add_flag("--no-peers", options->no_peers, "Only our methods");
  command->add_option("--misses", options->misses,
                      "A folder for the goals we miss, as files for `armature ik --targets`");
  command->add_flag("--markdown", options->markdown, "The table as Markdown");
  add_read_options(*command, options->read);
  add_json_flag(*command, options->json);
  command->footer(
      "Goals are poses of random joint values inside the limits, the same for every solver. A goal is solved when the\n"
      "solver says so, another forward kinematics agrees and the joints are inside their limits; times include\n"
      "failures. \"inside limits\" is the share of right poses that hold the limits: some solvers know none.\n"
      "Exit code 1: our method missed a goal; the misses are listed and can be tried again.\n\n"
      "Examples:\n"
      "  armature bench ik panda --base panda_link0 --tip panda_link8\n"
      "  armature bench ik robot.urdf --tip tool0 --seed-pose random --poses 1000 --json\n"
      "  armature bench ik --robots robots.json --no-peers --misses misses");
  command->callback([options] {
    if (options->model.empty() == options->robots.empty()) throw BadInput{"One of MODEL and --robots is needed."};
    options->settings.random_seed_pose = options->seed_pose == "random";
    options->settings.goals = options->goals == "corners" ? BenchGoals::corners : BenchGoals::random;
    options->settings.methods = split_list(options->methods);
    options->settings.peers = !options->no_peers;
    for (const std::string& method : options->settings.methods) need(make_solver(method).status());
    run(*options);
  });
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App* bench = app.add_subcommand("bench", "Benchmarks: success and speed beside other libraries");
  bench->require_subcommand(1);
  bench->footer(
      "Examples:\n"
      "  armature bench ik panda --base panda_link0 --tip panda_link8 --poses 1000\n"
      "  armature bench ik ur5 --no-peers --json");
  add_bench_ik(*bench);
}

}  // namespace armature::cli
