// What the columns of a table of targets mean, by its header: id, a place, a rotation in one of three forms, a start.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

/// A row without its text: what a line of JSON would say.
struct TargetRow {
  std::string id;               // JSON; "": none
  std::vector<double> numbers;  // 2, 3, 4, 7 or 16 of them
  VecX start;                   // empty: the table has none
};

class TargetColumns {
 public:
  /// Without a header: 2, 3, 4, 7 or 16 numbers.
  TargetColumns() = default;
  /// "id", "x y z", "qx qy qz qw" or "roll pitch yaw" or "r11 ... r33", "start.JOINT"; numbers may end in a unit, or
  /// the name of their column in "_deg", "_mm" and the like.
  static Result<TargetColumns> from_header(std::string_view line, const Model& model);

  /// `start`: what stays of a start of which the table has only some joints.
  Status read(std::string_view line, const VecX& start, TargetRow& row) const;

 private:
  enum class Part : unsigned char { id, place, quaternion, rpy, matrix, start };
  struct Column {
    std::string name;
    Part part = Part::id;
    int index = 0;          // of the part's numbers
    std::string unit;       // of every cell, "deg"
    std::string_view kind;  // that the cells may have: "length", "angle", ""
  };
  bool has(Part part) const;

  std::vector<Column> columns_;
};

/// Whether a first line names columns: a line without a number.
bool is_table_header(std::string_view line);

}  // namespace armature::inline v0_2
