// Many targets for one scene, one a line: .jsonl (each line a patch {"id", "target", "start"} of the scene, or a goal
// of its own) or .csv (docs/formats/targets.md). Read as they come, also from pipes; target_table.hpp reads files of
// any size in pieces, arrays of NumPy included.
#pragma once

#include <string>

#include "armature/scene/scene.hpp"
#include "armature/scene/target_columns.hpp"

namespace armature::inline v0_2 {

struct Target {
  std::string id;  // JSON, as it was read; "": none
  Goal goal;
  VecX start;
  std::string where;  // "targets.jsonl, line 3"
};

/// Lines and rows of numbers to targets.
class TargetParser {
 public:
  /// The scene's first goal is what a target is put into; without one, the target's own form tells the type. `name`
  /// begins the messages.
  TargetParser(std::string name, bool csv, Scene& scene) : name_(std::move(name)), csv_(csv), scene_(scene) {}

  /// Whether lines are rows of a table; else each is JSON.
  void set_table(bool csv) { csv_ = csv; }
  /// The columns of a table, where its first line names them; false where it does not.
  Result<bool> read_header(const std::string& line);
  /// Line `number` of the file.
  Status read_line(const std::string& line, std::int64_t number, Target& target);
  /// A row of numbers; `target.start`, `target.id` and `target.where` are given.
  Status read_numbers(std::span<const double> numbers, Target& target);

 private:
  Status read_json(const std::string& line, int number, Target& target);
  Status read_value(const JsonInput& input, Target& target);
  Status read_text(const std::string& line, std::int64_t number, Target& target);

  std::string name_;
  bool csv_;
  Scene& scene_;
  TargetColumns columns_;
  TargetRow row_;
  std::size_t width_ = 0;  // of the rows that pattern_ is for
  Goal pattern_;
};

/// Lines as they come. Where no file name tells the format, the first line does: JSON begins with a brace.
class TargetReader {
 public:
  TargetReader(const std::string& path, Scene& scene);
  Status open() { return lines_.open(); }
  /// False at the end.
  Result<bool> next(Target& target);
  /// How much of a regular file has been read; 0 for a pipe, whose writer may wait for each answer.
  double fraction() const { return lines_.fraction(); }

 private:
  LineReader lines_;
  bool named_;  // the file's name tells the format
  TargetParser parser_;
  std::int64_t number_ = 0;
  bool begun_ = false;
};

}  // namespace armature::inline v0_2
