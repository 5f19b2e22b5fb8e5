// Every method on the same problem from the same start: what each found, how far it went, and how long it took.
#pragma once

#include "armature/scene/scene.hpp"

namespace armature::inline v0_2 {

struct Comparison {
  std::string method;
  std::string refused;  // why, when the method cannot take the problem
  Report report;
  VecX q;
  double microseconds = 0.0;            // median of repeated solves ...
  double fastest = 0.0, slowest = 0.0;  // ... and the middle half of them: quartiles
  bool walks = false;                   // from the start pose, step by step; a search that restarts has no path
  double path_length = 0.0;             // of the first goal's link over the iterations, metres
  double largest_step = 0.0;            // of a joint in one iteration, radians (slides: metres)
  std::vector<double> errors;           // after each iteration, the start's first
};

struct CompareOptions {
  double seconds = 0.02;  // for the repeated solves of each method; 0: one solve
};

/// Options of the scene go to the methods that have them. An unknown method is an error; one that refuses is a row.
Result<std::vector<Comparison>> compare(const Scene& scene, const std::vector<std::string>& methods,
                                        const CompareOptions& options = {});

/// The method that took least time among those that reached the goals: "" where that cannot be said, because the times
/// of two methods overlap.
std::string fastest_method(const std::vector<Comparison>& rows);

/// {"rows": [{"method", "report", "microseconds": [fastest, median, slowest], "path_length", "largest_step",
/// "errors"}], "fastest"} as members of an open object.
void write_comparison(JsonText& json, const Scene& scene, const std::vector<Comparison>& rows);

}  // namespace armature::inline v0_2
