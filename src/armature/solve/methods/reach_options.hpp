// Options of the reach method, shared by its two halves: the kernel for serial chains (reach_chain) and the general
// path for everything else (reach_general).
#pragma once

#include <array>

#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

enum class Quality { first, nearest, manipulable, centred, clear };

struct ReachSettings : SolveOptions {
  ReachSettings() { max_iterations = 20000; }

  static constexpr std::array<const char*, 5> kQualities{"first", "nearest", "manipulable", "centred", "clear"};
  Choice quality_choice{kQualities, 0};
  bool continuous = false;  // continue from the start: no search, no jump (the follow method answers)
  bool local = false;       // one descent from the start in short steps: for methods that choose their own starts
  int give_up = 1000;       // iterations without an answer after which a goal counts as probably unreachable
  int candidates = 64;      // answers that the qualities other than first choose from, at most; nearest: starts
  int seed = 1;             // of the random starts
  bool measures = false;    // singular values in the report: they take longer than a solve on a serial chain

  Quality quality() const { return static_cast<Quality>(quality_choice.index); }

  template <class V>
  void describe(V& v) {
    SolveOptions::describe(v);
    v.field("quality", quality_choice,
            {"Which of several answers: the first found, the nearest to the seed, the most manipulable, the most "
             "centred between limits, or the one that stays clearest of obstacles"});
    v.field(
        "continuous", continuous,
        {"Stay on the start's branch: the answer that continues it, as method follow gives it; no search, no jumps"});
    v.field("give_up", give_up,
            {"Iterations without an answer after which the goal counts as probably unreachable", 1, 1e6, Scale::log});
    v.field(
        "candidates", candidates,
        {"Most answers that the quality chooses from; for nearest, starts around the given one", 1, 1000, Scale::log});
    v.field("measures", measures, {"Report singular values too; on a serial chain they take longer than the solve"});
    v.field("seed", seed, {"Seed of the random starts: the same seed gives the same answer", 0, 2147483647});
  }
};

}  // namespace armature::inline v0_2
