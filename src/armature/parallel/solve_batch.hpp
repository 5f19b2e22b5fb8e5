// Many goals for one model, on several cores. Answers do not depend on the number of threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "armature/parallel/for_all.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"
#include "armature/solve/solver.hpp"

namespace armature {

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

}  // namespace armature
