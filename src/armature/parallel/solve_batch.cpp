#include "armature/parallel/solve_batch.hpp"

#include <algorithm>

#include "armature/kinematics/defaults.hpp"
#include "armature/scene/answers.hpp"
#include "armature/solve/batch.hpp"

namespace armature::inline v0_2 {

BatchReport solve_batch(const Problem& problem, std::span<const Goal> goals, const MatX& starts,
                        const std::function<Solver()>& make, const ParallelOptions& options) {
  // Long enough to fill the lanes of Batch, short enough for every thread to have some and for a stop to be soon.
  constexpr std::size_t kPiece = 256;
  struct Worker {
    Solver solver;
    Batch batch;
    MatX poses;
    std::vector<Report> reports;
  };
  BatchReport answer;
  answer.q = starts;
  answer.reports.resize(goals.size());
  for (Report& report : answer.reports) report.outcome = Outcome::refused;
  const int pieces = static_cast<int>((goals.size() + kPiece - 1) / kPiece);
  std::vector<Worker> workers(static_cast<std::size_t>(worker_count(pieces, options)));
  for (Worker& worker : workers) worker.solver = make();
  answer.complete = for_all(pieces, options, [&](int piece, int number) {
    Worker& worker = workers[static_cast<std::size_t>(number)];
    const std::size_t first = static_cast<std::size_t>(piece) * kPiece;
    const std::size_t count = std::min(kPiece, goals.size() - first);
    const auto columns = static_cast<Eigen::Index>(count);
    worker.poses = starts.middleCols(static_cast<Eigen::Index>(first), columns);
    worker.batch.solve(*worker.solver, problem, goals.subspan(first, count), worker.poses, worker.reports);
    answer.q.middleCols(static_cast<Eigen::Index>(first), columns) = worker.poses;
    std::move(worker.reports.begin(), worker.reports.begin() + static_cast<std::ptrdiff_t>(count),
              answer.reports.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return answer;
}

Result<BatchReport> solve_batch(const Scene& scene, const Targets& targets, const ParallelOptions& options) {
  const Result<Solver> solver = make_solver(scene);
  if (!solver) return solver.error();
  Scene own = scene;
  if (own.start.size() == 0) own.start = start_pose(own.model);
  TargetPiece all, piece;
  all.starts.resize(own.model.q_size(), targets.count());
  Problem problem = make_problem(own);
  for (int number = 0; number < targets.piece_count(); ++number) {
    targets.read(number, own, piece);
    for (int k = 0; k < piece.count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      all.goals.push_back(piece.goals[at]);
      all.ids.push_back(piece.ids[at]);
      all.starts.col(all.count++) = piece.starts.col(k);
      if (k > 0 && piece.alike > 0) continue;  // differs in its target alone
      problem.goals.assign(1, all.goals.back());
      if (const Status status = (*solver)->check(problem); !status) {
        return Error{piece.where[std::min(at, piece.where.size() - 1)] + ": " + status.message()};
      }
    }
    if (!piece.ended) return piece.ended.error();
    all.id_bytes += piece.id_bytes;
  }
  all.starts.conservativeResize(Eigen::NoChange, all.count);
  problem.goals.clear();
  const auto make = [&own] { return std::move(make_solver(own)).value(); };  // it was made once before
  BatchReport report = solve_batch(problem, all.goals, all.starts, make, options);
  report.problem = std::move(problem);
  report.targets = std::move(all);
  report.id_dtype = targets.id_dtype();
  return report;
}

Result<BatchReport> solve_batch(const Problem& problem, const Targets& targets, const ParallelOptions& options) {
  Scene scene;
  static_cast<Problem&>(scene) = problem;
  return solve_batch(scene, targets, options);
}

Result<std::vector<std::string>> save(const std::string& path, const BatchReport& report) {
  const Result<AnswerFormat> format = answer_format(path);
  if (!format) return format.error();
  if (report.targets.count != report.count()) return Error{"Only answers to targets of a file can be saved."};
  Problem problem = report.problem;
  const std::string bytes = encode_answers(*format, problem, report.targets, report.q, report.reports, {-1.0, false});
  AnswerWriter writer(path, *format, problem.model, report.count(), report.id_dtype);
  Status status = writer.open();
  if (status) status = writer.write(bytes, report.count());
  if (status) status = writer.finish();
  if (!status) return status.error();
  return std::vector<std::string>{};
}

}  // namespace armature::inline v0_2
