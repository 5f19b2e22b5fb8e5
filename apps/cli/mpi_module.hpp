// The module that knows MPI (apps/cli/mpi): loaded by --mpi alone, so that the program neither needs nor loads it.
#pragma once

#include "armature/parallel/job.hpp"

namespace armature::cli {

/// What the module exports under the name "armature_make_ranks".
using MakeRanks = Ranks* (*)();

}  // namespace armature::cli
