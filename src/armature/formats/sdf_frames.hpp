// The named frames of an SDF file (links, joints, frames, models), each given relative to another in any order, and
// which link each moves with. Used by sdf.cpp.
#pragma once

#include <string>
#include <unordered_map>

#include "armature/base/result.hpp"
#include "armature/geom/transform.hpp"

namespace armature::inline v0_2 {

struct SdfFrame {
  std::string relative_to;  // "": the world
  Transform pose;
  std::string carrier;    // what it moves with, another frame; "": nothing, it is a link
  std::string placement;  // of a model: its frame that stands at `pose` instead of its own
};

class SdfFrames {
 public:
  SdfFrames() { frames_["world"] = {}; }
  /// False where the name is taken.
  bool add(const std::string& name, SdfFrame frame) { return frames_.emplace(name, std::move(frame)).second; }
  bool has(const std::string& name) const { return frames_.count(name) != 0; }

  /// Pose in the world. The error names a frame that does not exist, or frames that are given relative to each other.
  Result<Transform> pose(const std::string& name);
  /// Pose of `b` in `a`, by the shortest way between them: exact where one is given relative to the other.
  Result<Transform> relative(const std::string& a, const std::string& b) const;
  /// The link that carries a frame, or "world".
  Result<std::string> link(const std::string& name) const;

 private:
  Result<Transform> own_step(const std::string& name, int depth) const;
  const SdfFrame* find(const std::string& name, std::string& error) const;

  std::unordered_map<std::string, SdfFrame> frames_;
  std::unordered_map<std::string, Transform> known_;
};

}  // namespace armature::inline v0_2
