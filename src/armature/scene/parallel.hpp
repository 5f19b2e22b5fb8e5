// Work on several cores: batches of goals, and anything else that falls into independent pieces. The core starts no
// threads; this does. Answers do not depend on the number of threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"
#include "armature/solve/solver.hpp"
#include "armature/solve/workspace.hpp"

namespace armature::inline v0_2 {

struct ParallelOptions {
  int threads = 0;  // 0: every core
  /// Called now and then, by one thread at a time, with the fraction that is done; false stops the work.
  std::function<bool(double fraction)> progress{};
  /// File in which a workspace keeps what is done, so that the same call goes on from there; "": nowhere.
  std::string checkpoint{};
  double checkpoint_every = 5.0;  // seconds
};

/// piece(i, worker) for i in [0, count), each once, on several threads; `worker` numbers them from 0. False when
/// `progress` stopped it.
bool for_all(int count, const ParallelOptions& options, const std::function<void(int piece, int worker)>& work);
/// How many workers for_all() starts at most.
int worker_count(int count, const ParallelOptions& options);

/// A report per goal.
struct BatchReport {
  MatX q;  // a pose per column: the answers
  std::vector<Report> reports;
  bool complete = true;  // false: stopped before the end; goals that were not reached by then are `refused`

  int count() const { return static_cast<int>(reports.size()); }
};

/// Every goal by itself, in the place of the goals of `problem`; column k of `starts` is where goal k starts. One
/// solver per thread, made by `make`.
BatchReport solve_batch(const Problem& problem, std::span<const Goal> goals, const MatX& starts,
                        const std::function<Solver()>& make, const ParallelOptions& options = {});

/// Where a link can get to; the result does not depend on threads or interruptions. The error says what is wrong with
/// the options, or that `progress` stopped it. A checkpoint that is finished is removed.
Result<Workspace> compute_workspace(const Model& model, const WorkspaceOptions& options,
                                    const ParallelOptions& parallel = {});
/// The same in steps, for whoever shows how far it is: goes on with a checkpoint (true: there was one) ...
Result<bool> restore_workspace(Workspace& workspace, const std::string& checkpoint);
/// ... and does the rest; `progress` may look at the workspace. False: stopped, with the checkpoint written.
Result<bool> finish_workspace(Workspace& workspace, const ParallelOptions& parallel);

}  // namespace armature::inline v0_2
