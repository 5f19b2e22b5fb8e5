#include "ik_targets.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "armature/parallel/solve_targets.hpp"
#include "armature/scene/targets.hpp"
#include "armature/solve/batch.hpp"

namespace armature::cli {
namespace {

bool is_array_file(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  return extension == ".npy" || extension == ".npz";
}

bool wants_measures(const Scene& scene) {
  bool wanted = false;
  for (const auto& [name, text] : scene.options) wanted = wanted || (name == "measures" && text == "true");
  return wanted;
}

void print_summary(const TargetsSummary& summary, const std::vector<std::string>& out, bool json) {
  const bool ok = summary.reached == summary.goals;
  if (json) {
    Json answer{{"ok", ok}};
    answer["summary"] = {{"goals", summary.goals},
                         {"reached", summary.reached},
                         {"outcomes", summary.outcomes},
                         {"causes", summary.causes},
                         {"mean_microseconds", summary.mean_microseconds}};
    if (!out.empty()) answer["out"] = out;
    print_json(answer, -1);
    return;
  }
  fmt::print("{} of {} reached, {:.1f} us per goal\n", summary.reached, summary.goals, summary.mean_microseconds);
  static constexpr std::pair<const char*, const char*> kCauses[] = {
      {"beyond", "farther away than the arm reaches"},
      {"inside_hole", "too near for the arm"},
      {"no_solution", "no pose inside the limits has this position and orientation"},
      {"limits", "held back by joint limits"},
      {"blocked", "reached only by touching something"}};
  for (const auto& [cause, count] : summary.causes) {
    const auto* known = std::find_if(std::begin(kCauses), std::end(kCauses),
                                     [&, &word = cause](const auto& c) { return c.first == word; });
    fmt::print("  {:>8}  {}\n", count, known == std::end(kCauses) ? cause : known->second);
  }
  for (const std::string& path : out) fmt::print("  written   {}\n", path);
}

// A stream of targets. Those of a regular file are solved in batches and share their time; whoever writes into a pipe
// may wait for each answer.
class Streamer {
 public:
  Streamer(bool json, Scene& scene)
      : scene_(scene),
        json_(json),
        measures_(wants_measures(scene)),
        solver_(need(make_solver(scene))),
        problem_(make_problem(scene)) {}

  void run(const std::string& path) {
    TargetReader reader(path, scene_);
    need(reader.open());
    Progress progress("targets");
    try {
      Target target;
      while (need(reader.next(target))) {
        problem_.goals.assign(1, target.goal);
        if (const Status status = solver_->check(problem_); !status.ok()) {
          throw BadInput{target.where + ": " + status.message()};
        }
        kept_.push_back(std::move(target));
        if (reader.fraction() == 0.0 || kept_.size() == kBatch) answer();
        if (reader.fraction() > 0.0) progress.at(reader.fraction());
      }
    } catch (const BadInput&) {
      answer();  // what came before the bad line
      throw;
    }
    answer();
    add_notes(scene_.notes);
  }
  const TargetsSummary& summary() const { return summary_; }

 private:
  static constexpr std::size_t kBatch = 1024;

  void answer() {
    const auto count = static_cast<Eigen::Index>(kept_.size());
    std::vector<Goal> goals;
    poses_.resize(scene_.model.q_size(), count);
    for (Eigen::Index k = 0; k < count; ++k) {
      goals.push_back(kept_[static_cast<std::size_t>(k)].goal);
      poses_.col(k) = kept_[static_cast<std::size_t>(k)].start;
    }
    const auto begin = std::chrono::steady_clock::now();
    if (count > 0) batch_.solve(*solver_, problem_, goals, poses_, reports_);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      problem_.goals.assign(1, goals[k]);
      print(kept_[k], reports_[k], poses_.col(static_cast<Eigen::Index>(k)),
            spent.count() / static_cast<double>(count));
    }
    kept_.clear();
    std::fflush(stdout);
  }

  void print(const Target& target, const Report& report, const VecX& q, double microseconds) {
    summary_.add(report, microseconds);
    if (!json_) return print_report(problem_, report, q, microseconds);
    text_.clear();
    text_.begin_object();
    if (!target.id.empty()) text_.key("id").raw(target.id);
    write_report(text_, problem_, report, q, {microseconds, measures_});
    fmt::print("{}\n", text_.end().text());
  }

  Scene& scene_;
  bool json_;
  bool measures_;
  Solver solver_;
  Problem problem_;
  Batch batch_;
  std::vector<Target> kept_;
  MatX poses_;
  std::vector<Report> reports_;
  TargetsSummary summary_;
  JsonText text_;
};

// A file as a job: on all cores and ranks, in bounded memory.
bool answer_file(const Scene& scene, const SolveFlags& flags, const TargetFlags& targets) {
  SolveTargetsOptions options;
  options.out = targets.out.empty() ? "-" : targets.out.front();
  options.measures = wants_measures(scene);
  options.threads = thread_count(targets.job);
  options.ranks = ranks_of(targets.job);
  options.checkpoint = targets.job.checkpoint;
  const std::string checkpoint =
      !options.checkpoint.empty() || options.out == "-" ? options.checkpoint : options.out + ".part";
  options.resumed = [&](double fraction) { tell_resumed(checkpoint, fraction); };
  const StopSignals signals;
  TargetsSummary summary;
  {
    Progress progress("targets");
    options.progress = [&](double fraction) {
      progress.at(fraction);
      return StopSignals::received() == 0;
    };
    summary = need(solve_targets(scene, targets.targets, options));
  }
  if (!is_first(options.ranks)) return true;
  if (!summary.complete) quit_interrupted(checkpoint);
  add_notes(summary.notes);
  print_summary(summary, targets.out, flags.json);
  return summary.reached == summary.goals;
}

}  // namespace

bool answer_targets(const SolveFlags& flags, const TargetFlags& targets) {
  if (targets.out.size() > 1) throw BadInput{"The answers to --targets go into one file."};
  Scene scene = scene_of(flags, targets.targets);
  if (scene.goals.size() > 1) throw BadInput{"--targets are targets of one goal; the scene has several."};
  std::error_code failed;
  const bool regular = std::filesystem::is_regular_file(targets.targets, failed);
  if (targets.targets != "-" && !std::filesystem::exists(targets.targets, failed)) {
    throw BadInput{"There is no file " + in_quotes(targets.targets) + " with targets."};
  }
  if (!targets.out.empty() && !regular) {
    throw BadInput{
        "-o needs targets from a regular file; those of a pipe are answered on standard output as they come."};
  }
  if (!targets.out.empty() || (regular && flags.json)) return answer_file(scene, flags, targets);
  if (targets.job.mpi) throw BadInput{"--mpi needs -o FILE for the answers."};
  if (is_array_file(targets.targets)) throw BadInput{"Arrays of targets need -o FILE for the answers, or --json."};
  Streamer streamer(flags.json, scene);
  streamer.run(targets.targets);
  print_summary(streamer.summary(), {}, flags.json);
  return streamer.summary().reached == streamer.summary().goals;
}

}  // namespace armature::cli
