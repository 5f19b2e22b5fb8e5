// Ranks of MPI: the processes that mpirun started, on one machine or many.
#pragma once

#include <memory>

#include "armature/parallel/job.hpp"

namespace armature {

/// Initialises MPI where nobody has; what it gives ends it again. Messages go through a communicator of their own, and
/// only by the thread that made it.
std::unique_ptr<Ranks> mpi_ranks();

}  // namespace armature
