// `armature ik --targets`: many targets, from a file of any size or as they come.
#pragma once

#include <string>
#include <vector>

#include "large_job.hpp"
#include "solving.hpp"

namespace armature::cli {

struct TargetFlags {
  std::string targets;
  std::vector<std::string> out;  // of the answers; at most one
  JobFlags job;
};

/// Answers them and prints a summary; whether all were reached.
bool answer_targets(const SolveFlags& flags, const TargetFlags& targets);

}  // namespace armature::cli
