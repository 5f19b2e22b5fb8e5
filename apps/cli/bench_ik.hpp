// The runs behind `armature bench ik`: the same random goals of one chain for every solver, each timed alone, every
// claimed answer checked by another forward kinematics and against the limits.
//
// The protocol is TRAC-IK's (Beeson & Ames 2015): goals are poses of random joint values inside the limits, an answer
// counts when each of the six components of its error is within the tolerance, a solve may take so many seconds, and
// times include failures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "armature/kinematics/chain.hpp"

namespace armature::cli {

enum class BenchGoals { random, corners };  // corners: every joint at one of its limits

struct BenchSettings {
  int poses = 10000;
  int peer_poses = -1;  // the first so many of them for solvers that are not ours; negative: all
  double tolerance = 1e-5;
  double seconds = 5e-3;
  bool random_seed_pose = false;  // false: the middle of the limits
  BenchGoals goals = BenchGoals::random;
  int seed = 1;
  int repeats = 1;  // the fastest of so many runs of each solve counts
  std::vector<std::string> methods{"reach"};
  bool batch = true;  // also all goals together, by each method
  bool peers = true;
  int threads =
      1;  // of our methods; answers are the same for any number, times those of a machine with so many at work
};

/// A goal that was not reached, so that it can be tried again.
struct BenchMiss {
  int pose = 0;  // counted from 0
  Transform target;
  VecX seed;             // of the whole model
  const char* why = "";  // what the check found
};

struct BenchRow {
  std::string solver;
  std::string about;
  bool ours = false;
  int poses = 0;
  int claimed = 0;                                  // answers that the solver says are right
  int right = 0;                                    // of those: right by the check
  int inside = 0;                                   // of those: inside limits. These count as solved.
  double mean = 0, median = 0, p99 = 0, worst = 0;  // microseconds of one solve
  double iterations = 0;                            // mean; 0 for peers, which do not say
  std::vector<BenchMiss> misses;

  double solved_share() const { return poses > 0 ? static_cast<double>(inside) / poses : 0.0; }
  double inside_share() const { return right > 0 ? static_cast<double>(inside) / right : 0.0; }
};

struct BenchRun {
  int joints = 0;
  std::string checked_by;            // whose forward kinematics
  std::vector<std::string> missing;  // peers that are not installed
  std::vector<BenchRow> rows;
};

/// `progress` is told how much is done, 0 to 1. BadInput when there is no chain between the links.
BenchRun bench_chain(const Model& model, int base, int tip, const BenchSettings& settings,
                     const std::function<void(double)>& progress);

}  // namespace armature::cli
