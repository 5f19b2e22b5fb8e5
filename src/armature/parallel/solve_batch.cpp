#include "armature/parallel/solve_batch.hpp"

#include <algorithm>

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

Result<bool> restore_workspace(Workspace& workspace, const std::string& checkpoint) {
  std::error_code failed;
  if (checkpoint.empty() || !std::filesystem::exists(checkpoint, failed)) return false;
  const Result<std::string> bytes = read_file(checkpoint);
  if (!bytes) return bytes.error();
  if (workspace.restore(*bytes)) return true;
  return Error{detail::quoted(checkpoint) +
               " is the checkpoint of another run (other model or options): finish that one, delete the file, or name "
               "another."};
}

Result<bool> finish_workspace(Workspace& workspace, const ParallelOptions& parallel) {
  using Clock = std::chrono::steady_clock;
  auto saved = Clock::now();
  Status written;
  bool stopped = false;
  std::mutex merging;
  while (workspace.phase() != Workspace::Phase::done && !stopped) {
    std::vector<int> open;
    for (int i = 0; i < workspace.chunk_count(); ++i) {
      if (!workspace.is_done(i)) open.push_back(i);
    }
    std::atomic<bool> leave{false};
    for_all(static_cast<int>(open.size()), {parallel.threads}, [&](int i, int) {
      if (leave) return;
      const int chunk = open[static_cast<std::size_t>(i)];
      const Workspace::ChunkResult result = workspace.run(chunk);
      const std::scoped_lock lock(merging);
      workspace.merge(chunk, result);
      if (parallel.progress && !leave && !parallel.progress(workspace.progress())) leave = true;
      if (parallel.checkpoint.empty() || !written) return;
      if (std::chrono::duration<double>(Clock::now() - saved).count() < parallel.checkpoint_every) return;
      written = write_file_atomically(parallel.checkpoint, workspace.save());
      saved = Clock::now();
    });
    stopped = leave;
  }
  const bool done = workspace.phase() == Workspace::Phase::done;
  if (!done && !parallel.checkpoint.empty()) written = write_file_atomically(parallel.checkpoint, workspace.save());
  if (!written) return written.error();
  return done;
}

Result<Workspace> compute_workspace(const Model& model, const WorkspaceOptions& options,
                                    const ParallelOptions& parallel) {
  Result<Workspace> workspace = Workspace::make(model, options);
  if (!workspace) return workspace;
  if (const Result<bool> restored = restore_workspace(*workspace, parallel.checkpoint); !restored)
    return restored.error();
  const Result<bool> done = finish_workspace(*workspace, parallel);
  if (!done) return done.error();
  if (!*done) return Error{"The computation of the workspace was stopped."};
  std::error_code failed;
  if (!parallel.checkpoint.empty()) std::filesystem::remove(parallel.checkpoint, failed);
  return workspace;
}

}  // namespace armature::inline v0_2
