// Work on several cores: batches of goals, and anything else that falls into independent pieces. The core starts no
// threads; this does. Answers do not depend on the number of threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"
#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

struct ParallelOptions {
  int threads = 0;  // 0: every core
  /// Called now and then, by one thread at a time, with the fraction that is done; false stops the work.
  std::function<bool(double fraction)> progress;
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
                        const std::function<std::unique_ptr<Solver>()>& make, const ParallelOptions& options = {});

}  // namespace armature::inline v0_2
