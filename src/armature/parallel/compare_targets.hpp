// Every method on the same targets, on several cores: how many each reaches, and what that costs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "armature/parallel/for_all.hpp"
#include "armature/scene/json_text.hpp"
#include "armature/scene/scene.hpp"
#include "armature/scene/target_table.hpp"

namespace armature::inline v0_2 {

struct TargetsComparison {
  std::string method;
  std::string refused;  // why, when the method cannot take the targets
  std::int64_t goals = 0, reached = 0;
  std::map<std::string, std::int64_t> outcomes;  // by name
  double mean_iterations = 0.0;
  double largest_error = 0.0;  // of the position, of targets that were reached
  double mean_error = 0.0;     // of the position, of those that were not
  // Of single solves, microseconds: the quartiles, the median and the slowest hundredth. Only they depend on the
  // machine.
  double fastest = 0.0, microseconds = 0.0, slowest = 0.0, p99 = 0.0;
};

/// Each target is put into the scene's first goal or, where it has none, a goal of its own, and solved by itself from
/// its start. What is found does not depend on the number of threads; times are those of a machine on which as many are
/// at work. The error names the line that cannot be read, an unknown method, or says that `progress` stopped it.
Result<std::vector<TargetsComparison>> compare(const Scene& scene, const Targets& targets,
                                               const std::vector<std::string>& methods,
                                               const ParallelOptions& options = {});

/// {"rows": [{"method", "goals", "reached", "outcomes", "mean_iterations", "largest_error", "mean_error",
/// "microseconds": [fastest, median, slowest, p99]}]} as members of an open object.
void write_comparison(JsonText& json, const std::vector<TargetsComparison>& rows);

}  // namespace armature::inline v0_2
