#include "armature/mpi/mpi_ranks.hpp"

extern "C" armature::Ranks* armature_make_ranks() { return armature::mpi_ranks().release(); }
