// Motions as tables: one row a frame, one column a coordinate. CSV (csv.cpp) and JSON lines (jsonl.cpp) share this.
// Files that we write carry their linkage, so that they can be opened alone; any other table needs a model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/document.hpp"
#include "armature/formats/source.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

struct MotionTable {
  std::string name;
  std::vector<std::string> columns;  // coordinate names ("elbow", "shoulder.x"), any order
  double frame_time = 0.0;           // seconds; 0: not known
  std::vector<double> values;        // row after row
};

/// Rows with a time each become evenly spaced frames, or a sentence that names the first row that is not.
class FrameClock {
 public:
  /// The next row's time; false when it does not fit.
  bool take(double time);
  double frame_time() const { return step_; }
  double expected() const { return start_ + step_ * count_; }

 private:
  double start_ = 0.0;
  double step_ = 0.0;
  double count_ = 0.0;
};

/// The clip of `model` that the table describes: columns by name in any order. Coordinates without a column are
/// neutral (noted); columns that are no coordinates are refused with the valid names.
Result<Clip> clip_of_table(const MotionTable& table, const Model& model, std::vector<std::string>& notes);

/// A CSV motion of a known model: no linkage needed in the file.
Result<Clip> read_csv_motion(std::string_view bytes, const Model& model, const ReadOptions& options,
                             std::vector<std::string>& notes);

/// The linkage as one line of our own JSON, and back.
Result<std::string> linkage_line(const Linkage& linkage);
Result<Linkage> linkage_of_line(std::string_view line);

// The formats' entries in the registry.
bool detect_csv(std::string_view bytes);
Result<Document> read_csv(std::string_view bytes, const ReadOptions& options);
Result<std::string> write_csv(const Document& document, const WriteOptions& options);
bool detect_jsonl(std::string_view bytes);
Result<Document> read_jsonl(std::string_view bytes, const ReadOptions& options);
Result<std::string> write_jsonl(const Document& document, const WriteOptions& options);

}  // namespace armature::inline v0_2
