// Key poses and goal paths as JSON files (docs/formats/motion_files.md, with schemas beside it).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/motion/keyframes.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/track.hpp"

namespace armature::cli {

struct KeysFile {
  Keyframes keys;
  double frame_time = 1.0 / 30.0;
};
/// `file` begins the sentences of BadInput.
KeysFile read_keys_file(const Model& model, std::string_view text, const std::string& file);

struct PathFile {
  VecX start;
  std::vector<GoalPath> paths;
  Problem problem;  // goals that hold all the time, gains and rest of the control term
  TrackOptions options;
  std::string method = "reach";
  std::vector<std::pair<std::string, std::string>> method_options;
};
PathFile read_path_file(const Model& model, std::string_view text, const std::string& file);

/// Follows the paths with the method that the file names.
Track track_path_file(const PathFile& file);

}  // namespace armature::cli
