// A file of targets solved into a file of answers, on every core and on every machine, resumable. The answers are the
// same bytes for any number of threads and ranks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "armature/parallel/job.hpp"
#include "armature/scene/scene.hpp"

namespace armature {

struct TargetsSummary {
  std::int64_t goals = 0;
  std::int64_t reached = 0;
  std::map<std::string, std::int64_t> outcomes;  // by name
  /// Of those that were not reached: "beyond", "inside_hole", "no_solution" (proved), "limits" (joints at their bounds
  /// keep the error from falling), else the outcome.
  std::map<std::string, std::int64_t> causes;
  double mean_microseconds = 0.0;  // of solving, per goal, in one thread
  bool complete = true;            // false: stopped before the end
  std::vector<std::string> notes = {};

  /// One answer, which took so long.
  void add(const Report& report, double microseconds);
};

struct SolveTargetsOptions : JobOptions {
  std::string out = {};   // .npz, .npy, .csv or .jsonl; "-": lines of JSON to standard output
  bool measures = false;  // singular values in lines of JSON
};

/// The targets of a regular file (.jsonl, .csv, .npy, .npz), each put into the scene's first goal or, where it has
/// none, a goal of its own. What comes before a line that cannot be read is answered.
/// `options.checkpoint` "": `out` with ".part", none for standard output. Every rank calls it; the first one writes.
Result<TargetsSummary> solve_targets(const Scene& scene, const std::string& targets,
                                     const SolveTargetsOptions& options);

}  // namespace armature
