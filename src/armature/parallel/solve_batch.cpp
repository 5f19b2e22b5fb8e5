#include "armature/parallel/solve_batch.hpp"

#include <algorithm>

#include "armature/solve/batch.hpp"

namespace armature {

BatchReport solve_batch(const Problem& problem, std::span<const Goal> goals, const MatX& starts,
                        const std::function<std::unique_ptr<Solver>()>& make, const ParallelOptions& options) {
  // Long enough to fill the lanes of Batch, short enough for every thread to have some and for a stop to be soon.
  constexpr std::size_t kPiece = 256;
  struct Worker {
    std::unique_ptr<Solver> solver;
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

}  // namespace armature
