#include "armature/solve/solve.hpp"

#include "armature/solve/methods/auto.hpp"

namespace armature::inline v0_2 {

Report solve(const Problem& problem) { return Auto().solve(problem); }

}  // namespace armature::inline v0_2
