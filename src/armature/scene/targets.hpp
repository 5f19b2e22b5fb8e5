// Many targets for one scene, one a line: .jsonl (each line a patch {"id", "target", "start"} of the scene, or a goal
// of its own) or .csv (x,y,z[,qx,qy,qz,qw], with or without a header). Files are read as they come; pipes too.
#pragma once

#include <string>

#include "armature/scene/scene.hpp"

namespace armature::inline v0_2 {

struct Target {
  std::string id;  // JSON, as it was read; "": none
  Goal goal;
  VecX start;
  std::string where;  // "targets.jsonl, line 3"
};

class TargetReader {
 public:
  /// The scene's first goal is what a target is put into; without one, the line's own form tells the type.
  TargetReader(std::string path, Scene& scene);
  Status open() { return lines_.open(); }
  /// False at the end.
  Result<bool> next(Target& target);
  /// How much of a regular file has been read; 0 for a pipe, whose writer may wait for each answer.
  double fraction() const { return lines_.fraction(); }

 private:
  Status read_json(const std::string& line, Target& target);
  Status read_row(const std::string& line, Target& target, bool& header);

  LineReader lines_;
  std::string name_;
  bool csv_;
  Scene& scene_;
  int number_ = 0;
};

}  // namespace armature::inline v0_2
