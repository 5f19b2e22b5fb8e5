#include "armature/solve/solve.hpp"

#include "armature/solve/methods/auto.hpp"

namespace armature {

Report solve(const Problem& problem) { return Auto().solve(problem); }

}  // namespace armature
