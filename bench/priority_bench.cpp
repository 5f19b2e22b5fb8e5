// Does a lower priority cost a higher one anything? Random problems of four priorities on the human figure, reach and
// follow; each of the lower three is added in turn, so that there are three cases to a problem.
//   bench_priority_bench [problems]        200 by default: 600 cases
// Columns: cases; those whose higher priorities are reached without the last one; of these spoiled by it; of the others
// those in which a higher priority lost more than 1 % of its error; the largest loss.
#include <cstdio>
#include <cstdlib>

#include "armature/solve/methods/follow.hpp"
#include "armature/solve/methods/reach.hpp"
#include "support/priority_cases.hpp"

using namespace armature;
using namespace armature::test;

int main(int argc, char** argv) {
  const int problems = argc > 1 ? std::atoi(argv[1]) : 200;
  std::printf("%-8s %6s %10s %8s %6s %13s\n", "method", "cases", "reachable", "spoiled", "worse", "largest loss");
  const auto print = [](const char* method, const PriorityTally& t) {
    std::printf("%-8s %6d %10d %8d %6d %12.3f%%\n", method, t.cases, t.reachable, t.spoiled, t.worse,
                100.0 * t.largest_loss);
    std::fflush(stdout);
  };
  Reach reach;
  print("reach", examine_priorities(problems, 11, [&](const Problem& problem, const VecX& start) {
          return reach.solve(problem, start).q;
        }));
  print("follow", examine_priorities(problems, 11, [&](const Problem& problem, const VecX& start) {
          Follow follow;
          return follow.solve(problem, start).q;
        }));
  return 0;
}
