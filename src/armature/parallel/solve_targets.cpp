#include "armature/parallel/solve_targets.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

#include "armature/scene/answers.hpp"
#include "armature/scene/target_table.hpp"
#include "armature/solve/batch.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr std::size_t kOutcomes = static_cast<std::size_t>(Outcome::refused) + 1;
constexpr const char* kCauses[] = {"beyond", "inside_hole", "no_solution", "limits", ""};  // the first: ReachBound
constexpr std::size_t kLimits = 3;
constexpr std::size_t kNoCause = 4;
constexpr std::size_t kMostNotes = 16;

// Why a goal was not reached: an index into kCauses; the last one: its outcome says it.
std::size_t cause_of(const Report& report) {
  if (report.ok()) return kNoCause;
  if (report.proof) return static_cast<std::size_t>(report.proof->bound);
  return report.outcome != Outcome::refused && !report.blocking_joints.empty() ? kLimits : kNoCause;
}

// What a piece tells besides its answers.
struct PieceHead {
  std::int64_t rows = 0;
  double microseconds = 0.0;
  std::uint32_t counts[kOutcomes][std::size(kCauses)] = {};
  std::uint64_t answer_bytes = 0, error_bytes = 0;
};

std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

void add_time(TargetsSummary& summary, std::int64_t goals, double microseconds) {
  const double before = summary.mean_microseconds * static_cast<double>(summary.goals);
  summary.goals += goals;
  if (summary.goals > 0) summary.mean_microseconds = (before + microseconds) / static_cast<double>(summary.goals);
}

void add_count(TargetsSummary& summary, std::size_t outcome, std::size_t cause, std::uint32_t count) {
  if (count == 0) return;
  const char* const name = outcome_name(static_cast<Outcome>(outcome));
  summary.outcomes[name] += count;
  if (static_cast<Outcome>(outcome) == Outcome::converged) {
    summary.reached += count;
  } else {
    summary.causes[cause == kNoCause ? name : kCauses[cause]] += count;
  }
}

class TargetsJob : public Job {
 public:
  TargetsJob(const Scene& scene, Targets table, AnswerFormat format, const SolveTargetsOptions& options)
      : scene_(scene),
        format_(format),
        options_(options),
        writer_(options.out, format, scene.model, table.count(), table.id_dtype()),
        table_(std::move(table)) {}

  int count() const override { return table_.piece_count(); }

  void prepare(int workers) override {
    for (int w = 0; w < workers; ++w) workers_.push_back(std::make_unique<Worker>(scene_));
  }

  std::string run(int number, int worker) override {
    Worker& own = *workers_[static_cast<std::size_t>(worker)];
    const std::size_t told = own.scene.notes.size();
    table_.read(number, own.scene, own.piece);
    TargetPiece& piece = own.piece;
    check(own);
    const auto count = static_cast<std::size_t>(piece.count);
    own.poses = piece.starts.leftCols(piece.count);
    const auto begin = std::chrono::steady_clock::now();
    own.batch.solve(*own.solver, own.problem, std::span(piece.goals).first(count), own.poses, own.reports);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
    PieceHead head;
    head.rows = piece.count;
    head.microseconds = spent.count();
    for (std::size_t k = 0; k < count; ++k) {
      ++head.counts[static_cast<std::size_t>(own.reports[k].outcome)][cause_of(own.reports[k])];
    }
    const double each = options_.out == "-" && count > 0 ? spent.count() / static_cast<double>(count) : -1.0;
    const std::string answers =
        encode_answers(format_, own.problem, piece, own.poses, own.reports, {each, options_.measures});
    head.answer_bytes = answers.size();
    head.error_bytes = piece.ended.message().size();
    std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
    bytes += answers + piece.ended.message();
    for (std::size_t i = told; i < own.scene.notes.size(); ++i) bytes += own.scene.notes[i] + '\n';
    own.scene.notes.resize(told);
    return bytes;
  }

  Status begin() override { return writer_.open(); }
  Status finish() override { return writer_.finish(); }

  Status take(int /*piece*/, std::string_view bytes) override {
    PieceHead head;
    if (bytes.size() < sizeof head) return Error{"A piece of the answers is damaged."};
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes.remove_prefix(sizeof head);
    if (head.answer_bytes > bytes.size() || head.error_bytes > bytes.size() - head.answer_bytes) {
      return Error{"A piece of the answers is damaged."};
    }
    const auto answers = static_cast<std::size_t>(head.answer_bytes),
               error = static_cast<std::size_t>(head.error_bytes);
    add_time(summary, head.rows, head.microseconds);
    for (std::size_t o = 0; o < kOutcomes; ++o) {
      for (std::size_t c = 0; c < std::size(kCauses); ++c) add_count(summary, o, c, head.counts[o][c]);
    }
    if (Status status = writer_.write(bytes.substr(0, answers), head.rows); !status) return status;
    if (error > 0) {
      bad_input = true;
      return Error{std::string(bytes.substr(answers, error))};
    }
    for (std::string_view notes = bytes.substr(answers + error); !notes.empty();) {
      const std::size_t end = std::min(notes.find('\n'), notes.size() - 1);
      add_note(std::string(notes.substr(0, end)));
      notes.remove_prefix(end + 1);
    }
    return {};
  }

  TargetsSummary summary;
  bool bad_input = false;

 private:
  struct Worker {
    explicit Worker(const Scene& shared)
        : scene(shared), solver(std::move(make_solver(scene)).value()), problem(make_problem(scene)) {}
    Scene scene;
    Solver solver;
    Problem problem;
    Batch batch;
    TargetPiece piece;
    MatX poses;
    std::vector<Report> reports;
  };

  // Goals that the method cannot take are mistakes of the file. Of goals that differ in their targets alone the first
  // one stands for all.
  void check(Worker& own) {
    TargetPiece& piece = own.piece;
    const int several = piece.alike > 0 ? std::min(1, piece.count) : piece.count;
    for (int k = 0; k < several; ++k) {
      own.problem.goals.assign(1, piece.goals[static_cast<std::size_t>(k)]);
      if (const Status status = own.solver->check(own.problem); !status) {
        piece.ended = Error{piece.where[static_cast<std::size_t>(k)] + ": " + status.message()};
        piece.count = k;
        return;
      }
    }
  }

  void add_note(std::string note) {
    const bool known = std::find(summary.notes.begin(), summary.notes.end(), note) != summary.notes.end();
    if (!known && summary.notes.size() < kMostNotes) summary.notes.push_back(std::move(note));
  }

  const Scene& scene_;
  const AnswerFormat format_;
  const SolveTargetsOptions& options_;
  AnswerWriter writer_;
  const Targets table_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

void TargetsSummary::add(const Report& report, double microseconds) {
  add_time(*this, 1, microseconds);
  add_count(*this, static_cast<std::size_t>(report.outcome), cause_of(report), 1);
}

Result<TargetsSummary> solve_targets(const Scene& scene, const std::string& targets,
                                     const SolveTargetsOptions& options) {
  const Result<AnswerFormat> format = answer_format(options.out);
  if (!format) return format.error();
  if (const auto solver = make_solver(scene); !solver) return solver.error();
  Result<Targets> table = Targets::open(targets);
  if (!table) return table.error();
  JobOptions job_options = options;
  if (job_options.checkpoint.empty() && options.out != "-") job_options.checkpoint = options.out + ".part";
  job_options.fingerprint =
      hash_of(to_json(scene) + options.out + targets, scene.model.fingerprint() ^ table->fingerprint());
  TargetsJob job(scene, std::move(*table), *format, options);
  const Result<bool> done = run_job(job, job_options);
  if (!done) {
    // Once the file is corrected it is another one.
    if (job.bad_input && !job_options.checkpoint.empty()) std::remove(job_options.checkpoint.c_str());
    return done.error();
  }
  job.summary.complete = *done;
  return job.summary;
}

}  // namespace armature::inline v0_2
