// Reachable goals that are not reached: every goal is made from a pose inside the limits, so each miss is one.
//
//   bench_reach_stalls [--goals N] [--chains N] [--seed S] [--method NAME] [--list] PLACE...
//
// PLACE is a model file, a folder of them, a table of Denavit-Hartenberg rows, `builtin`, `random` (serial chains of
// 2 to 12 turning and sliding joints with short ranges, --chains of each size) or `mixed` (the same with other joints).
// Each leaf that other joints move gets
// --goals goals: position, orientation and pose by turns, from inside the limits and from their edge, started from the
// middle and from anywhere (tests/support/reachable.hpp). --list prints each miss. The same arguments count the same.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "../tests/support/reachable.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/scene/methods.hpp"

using namespace armature;

namespace {

struct Settings {
  int goals = 3000;
  int chains = 50;
  std::uint64_t seed = 1;
  bool list = false;
};

struct Count {
  long goals = 0, missed = 0;
  double seconds = 0.0;
};

class Counter {
 public:
  Counter(const Settings& settings, Solver solver) : settings_(settings), solver_(std::move(solver)) {}

  void model(const std::string& name, const Model& model) {
    const auto begin = std::chrono::steady_clock::now();
    Count count;
    for (const int link : test::moving_leaves(model)) {
      count.goals += settings_.goals;
      count.missed += test::count_missed(
          *solver_, model, link, settings_.seed * 7919 + static_cast<std::uint64_t>(link), settings_.goals,
          [&](const test::Reachable& goal, int n, const Report& report) {
            if (!settings_.list) return;
            std::printf("  %s %s goal %d (%s): %s, %g m %g rad, %d iterations, by %s\n", name.c_str(),
                        model.link_name(link).c_str(), n, goal_name(goal.goal), outcome_name(report.outcome),
                        report.position_error, report.orientation_error, report.iterations, report.reason);
          });
    }
    count.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    add(name, count);
  }

  void add(const std::string& name, const Count& count) {
    if (count.goals == 0) return;
    std::printf("%-32s %9ld goals %6ld missed %8.2f s\n", name.c_str(), count.goals, count.missed, count.seconds);
    std::fflush(stdout);
    sum_.goals += count.goals;
    sum_.missed += count.missed;
    sum_.seconds += count.seconds;
  }

  void text(const std::string& name, const std::string& bytes, const ReadOptions& options) {
    const Result<Document> document = read_document(bytes, options);
    if (!document.ok()) return;
    const Result<Model> compiled = compile(document->linkage);
    if (compiled.ok()) model(name, *compiled);
  }

  void file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    ReadOptions options;
    options.file_name = path.filename().string();
    const auto tables = nlohmann::json::parse(bytes, nullptr, false);
    if (tables.is_object() && tables.contains("robots")) {
      for (const auto& robot : tables["robots"]) {
        options.part = robot.value("name", "");
        text(options.part, bytes, options);
      }
    } else {
      text(path.filename().string(), bytes, options);
    }
  }

  void random_chains(bool mixed) {
    for (int joints = 2; joints <= 12; ++joints) {
      Count count;
      const auto begin = std::chrono::steady_clock::now();
      for (int k = 0; k < settings_.chains; ++k) {
        const std::uint64_t seed = settings_.seed * 1000 + static_cast<std::uint64_t>(k);
        const Result<Model> model = compile(test::short_range_chain(joints, seed, mixed));
        if (!model.ok()) continue;
        count.goals += settings_.goals;
        count.missed += test::count_missed(*solver_, *model, model->link_count() - 1, seed, settings_.goals,
                                           [&](const test::Reachable& goal, int n, const Report& report) {
                                             if (!settings_.list) return;
                                             std::printf("  %s goal %d (%s): %s, %g m %g rad, %d iterations\n",
                                                         model->name().c_str(), n, goal_name(goal.goal),
                                                         outcome_name(report.outcome), report.position_error,
                                                         report.orientation_error, report.iterations);
                                           });
      }
      count.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      add((mixed ? "mixed chains of " : "random chains of ") + std::to_string(joints), count);
    }
  }

  void place(const std::string& name) {
    if (name == "random" || name == "mixed") return random_chains(name == "mixed");
    if (name == "builtin") {
      for (const BuiltinModel& each : builtin_models()) text(std::string(each.name), std::string(each.json), {});
      return;
    }
    if (!std::filesystem::is_directory(name)) return file(name);
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(name)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& each : files) file(each);
  }

  void total() { add("together", Count(sum_)); }

 private:
  Settings settings_;
  Solver solver_;
  Count sum_;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  std::string method = "reach";
  std::vector<std::string> places;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::atoi(argv[++i]) : 0; };
    if (argument == "--goals") {
      settings.goals = number();
    } else if (argument == "--chains") {
      settings.chains = number();
    } else if (argument == "--seed") {
      settings.seed = static_cast<std::uint64_t>(number());
    } else if (argument == "--method" && i + 1 < argc) {
      method = argv[++i];
    } else if (argument == "--list") {
      settings.list = true;
    } else {
      places.push_back(argument);
    }
  }
  Result<Solver> solver = make_solver(method);
  if (!solver.ok()) {
    std::fprintf(stderr, "%s\n", solver.message().c_str());
    return 2;
  }
  Counter counter(settings, std::move(solver).value());
  for (const std::string& each : places) counter.place(each);
  counter.total();
  return 0;
}
