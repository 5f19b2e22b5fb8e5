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
#include "armature/solve/workspace.hpp"

namespace armature::inline v0_2 {

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
