// Is the answer of quality `nearest` truly the nearest? Against an exhaustive search, over the arms of the shared data.
//   bench_nearest_bench [goals of each arm] [starts of the truth] [word in the arm's name]
// Truth: the nearest of 600 local descents from random poses, slid along their branch, of the pose that the goal was
// made from, and of everything else found. An answer counts as the nearest within 1 % of that distance. Columns: goals
// that were solved at all, share truly nearest for whole poses and for positions, mean distance over the nearest one,
// mean time of an answer (us), how many were answered by analysis.
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/nearest_truth.hpp"

using namespace armature;
using namespace armature::test;

int main(int argc, char** argv) {
  const int goals = argc > 1 ? std::atoi(argv[1]) : 20;
  const int starts = argc > 2 ? std::atoi(argv[2]) : 600;
  const char* word = argc > 3 ? argv[3] : "";
  std::printf("%-28s %-9s %6s %9s %8s %9s %9s\n", "arm", "goals", "solved", "nearest %", "ratio", "us", "analysis");
  NearestTally all;
  for (const NearestArm& arm : nearest_arms()) {
    if (arm.name.find(word) == std::string::npos) continue;
    for (const bool position : {false, true}) {
      const NearestTally tally = examine_nearest(arm, goals, starts, position);
      if (tally.solved == 0) continue;
      std::printf("%-28s %-9s %6d %9.1f %8.4f %9.1f %9d\n", arm.name.c_str(), position ? "positions" : "poses",
                  tally.solved, 100.0 * tally.nearest / tally.solved, tally.ratio / tally.solved,
                  tally.microseconds / tally.solved, tally.by_analysis);
      std::fflush(stdout);
      all.solved += tally.solved;
      all.nearest += tally.nearest;
    }
  }
  std::printf("all: %.2f %% of %d\n", 100.0 * all.nearest / std::max(1, all.solved), all.solved);
  return 0;
}
