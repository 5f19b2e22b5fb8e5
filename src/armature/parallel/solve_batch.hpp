// Many goals for one model, on several cores. Answers do not depend on the number of threads.
//
//   const Targets targets = load_targets("grasps.npz").value();
//   const BatchReport report = solve_batch({.model = panda, .goals = {PoseGoal{}}}, targets).value();
//   save("answers.npz", report).value();
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "armature/parallel/for_all.hpp"
#include "armature/scene/scene.hpp"
#include "armature/scene/target_table.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"
#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

/// A report per goal.
struct BatchReport {
  MatX q;  // a pose per column: the answers
  std::vector<Report> reports;
  bool complete = true;  // false: stopped before the end; goals that were not reached by then are `refused`
  // What was asked, for save(); empty where goals were given one by one.
  Problem problem{};
  TargetPiece targets{};
  std::string id_dtype{};

  int count() const { return static_cast<int>(reports.size()); }
};

/// Every goal by itself, in the place of the goals of `problem`; column k of `starts` is where goal k starts. One
/// solver per thread, made by `make`.
BatchReport solve_batch(const Problem& problem, std::span<const Goal> goals, const MatX& starts,
                        const std::function<Solver()>& make, const ParallelOptions& options = {});
/// Every target of a file, put into the first goal or, where there is none, a goal of its own; by `auto`, or the
/// scene's method. All of them in memory: solve_targets() goes from file to file. The error names the line that cannot
/// be read.
Result<BatchReport> solve_batch(const Problem& problem, const Targets& targets, const ParallelOptions& options = {});
Result<BatchReport> solve_batch(const Scene& scene, const Targets& targets, const ParallelOptions& options = {});

/// As .npz, .npy, .csv or .jsonl (docs/formats/targets.md).
Result<std::vector<std::string>> save(const std::string& path, const BatchReport& report);

}  // namespace armature::inline v0_2
