// `armature ik --all`: every pose that reaches the goal.
#pragma once

#include <string>
#include <vector>

#include "solving.hpp"

namespace armature::cli {

struct AllOptions {
  bool all = false;
  bool turns = false;
  int samples = 0;
  int max_count = 256;
  std::vector<std::string> out;  // files for the poses, as frames of a motion or as a picture
};

/// Prints them; whether there is one. `model_argument`: MODEL as it was given.
bool find_all(const Scene& scene, const AllOptions& flags, const std::string& model_argument, bool json);

}  // namespace armature::cli
