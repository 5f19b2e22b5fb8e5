// One question, one answer: for programs that ask once. Who asks often keeps a solver (solver.hpp), which keeps its
// memory.
#pragma once

#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"

namespace armature::inline v0_2 {

/// By `auto`, from problem.start; with measures.
Report solve(const Problem& problem);

}  // namespace armature::inline v0_2
