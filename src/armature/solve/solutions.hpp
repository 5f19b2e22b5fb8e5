// All poses that reach a goal: by analysis, inside limits with every full turn, the nearest to the start first.
//
//   const Solutions all = solutions(ur5, goal).value();
//   for (int k = 0; k < all.count(); ++k) use(all.q.col(k));
//   if (!all.complete) ...                                    // there may be more: all.message says why
//
// Where the chain has no equations that are known, or the problem is not one goal of a chain, `reach` is asked from
// many starts; then the list is what was found, and never complete.
#pragma once

#include <string>
#include <vector>

#include "armature/solve/problem.hpp"

namespace armature::inline v0_2 {

struct SolutionsOptions {
  VecX start{};               // pose to be near to, and to take locked and free joints from; empty: the problem's
  bool within_limits = true;  // false: limits do not count, and each answer is listed once, near the start
  bool thorough = false;      // both eliminants of classes K and G
  int samples = 0;            // seven joints: points on each curve of answers; 0: the one nearest to the start
  int max_count = 256;        // at most so many, the nearest (of samples: per sample)
  int starts = 400;           // of the search, where there is no analysis
  int seed = 1;               // of its random starts
};

struct Solutions {
  MatX q;                            // a pose per column
  VecX residuals;                    // larger of position error over the model's size, and orientation error in radians
  bool complete = false;             // these are all: nothing was cut, and the equations left nothing open
  std::vector<int> singular_joints;  // coordinates that are free at some answer: a curve of poses runs through it
  std::vector<int> answers;          // the answer that each pose is: poses of one number differ by full turns only
  std::vector<int> curves;           // seven joints: the curve that each pose lies on, by number; otherwise empty
  const char* chain_class = "";      // "S", "P", ... (class_name); "": found by a search
  std::string message;               // how many, whether they are all, and by what

  int count() const { return static_cast<int>(q.cols()); }
  int answer_count() const;  // poses that differ by more than full turns
};

/// The error says what is wrong with the problem itself.
Result<Solutions> solutions(const Problem& problem, const SolutionsOptions& options = {});
Result<Solutions> solutions(const Model& model, const Goal& goal, const SolutionsOptions& options = {});

}  // namespace armature::inline v0_2
