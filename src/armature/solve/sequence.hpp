// Sequences: goals slide from where their links are to where they should be, and the pose follows frame by frame.
// One step a frame is the textbook's Euler integration (figures 5.20 to 5.25).
#pragma once

#include <vector>

#include "armature/base/result.hpp"
#include "armature/motion/clip.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

struct SequenceOptions {
  int frames = 21;          // with the first, which is the start pose; at least 2
  int steps_per_frame = 1;  // iterations of the method a frame; 0: until it converges or gives up
};

struct SequenceFrame {
  Vec3 goal;      // of the followed goal, in the world
  Vec3 effector;  // where its point was
  Outcome outcome = Outcome::converged;
  int iterations = 0;
  double position_error = 0.0;
  double orientation_error = 0.0;
};

struct Sequence {
  Clip clip;                          // the poses
  std::vector<SequenceFrame> frames;  // as many
};

/// Position, orientation and pose goals slide in a straight line and the short way round; others stay. `follow` is the
/// goal whose point the frames show. With a fixed number of steps every step is taken as it is: no clamp unless
/// max_step asks for one, no early end, the last pose and not the best one. The solver's options are left as they were.
/// Refuses what the method refuses.
Result<Sequence> run_sequence(Solver& solver, const Problem& problem, const VecX& start, const SequenceOptions& options,
                              int follow = 0);

/// The goal on its way from where its link is in `state` (t = 0) to its target (t = 1).
Goal goal_between(const Goal& goal, const State& state, double t);

}  // namespace armature::inline v0_2
