#include "armature/scene/target_columns.hpp"

#include <algorithm>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/json_print.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {
namespace {

// The next cell of a line: up to a comma; in quotes, which double for one of them, up to their end.
std::string next_cell(std::string_view line, std::size_t& at) {
  std::size_t begin = line.find_first_not_of(" \t", at);
  if (begin == std::string_view::npos) begin = line.size();
  if (begin >= line.size() || line[begin] != '"') {
    const std::size_t end = std::min(line.find(',', at), line.size());
    std::string cell(detail::trimmed(line.substr(at, end - at)));
    at = end + 1;
    return cell;
  }
  std::string cell;
  for (at = begin + 1; at < line.size(); ++at) {
    if (line[at] == '"' && (at + 1 >= line.size() || line[at + 1] != '"')) break;
    if (line[at] == '"') ++at;
    cell += line[at];
  }
  at = std::min(line.find(',', at), line.size()) + 1;
  return cell;
}

// An id as JSON: a number where it is one and would be written like this, else text.
std::string id_as_json(const std::string& cell) {
  double number = 0.0;
  const bool plain = !cell.empty() && cell.find_first_not_of("0123456789-") == std::string::npos &&
                     (cell == "0" || (cell[0] != '0' && cell.substr(0, 2) != "-0"));
  return plain && parse_number(cell, number) ? cell : json_quoted(cell);
}

std::string_view line_without_end(std::string_view line) {
  if (line.substr(0, 3) == "\xEF\xBB\xBF") line.remove_prefix(3);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  return line;
}

}  // namespace

bool is_table_header(std::string_view line) {
  line = line_without_end(line);
  for (std::size_t at = 0; at <= line.size();) {
    NumberWithUnit number;
    if (parse_number_with_unit(next_cell(line, at), number)) return false;
  }
  return true;
}

bool TargetColumns::has(Part part) const {
  return std::any_of(columns_.begin(), columns_.end(), [&](const Column& c) { return c.part == part; });
}

Result<TargetColumns> TargetColumns::from_header(std::string_view line, const Model& model) {
  struct Known {
    std::string_view name;
    Part part;
    int index;
  };
  static constexpr Known kKnown[] = {
      {"id", Part::id, 0},         {"x", Part::place, 0},       {"y", Part::place, 1},
      {"z", Part::place, 2},       {"qx", Part::quaternion, 0}, {"qy", Part::quaternion, 1},
      {"qz", Part::quaternion, 2}, {"qw", Part::quaternion, 3}, {"roll", Part::rpy, 0},
      {"pitch", Part::rpy, 1},     {"yaw", Part::rpy, 2},       {"r11", Part::matrix, 0},
      {"r12", Part::matrix, 1},    {"r13", Part::matrix, 2},    {"r21", Part::matrix, 3},
      {"r22", Part::matrix, 4},    {"r23", Part::matrix, 5},    {"r31", Part::matrix, 6},
      {"r32", Part::matrix, 7},    {"r33", Part::matrix, 8}};
  static constexpr std::string_view kUnits[] = {"_deg", "_rad", "_turn", "_mm", "_cm", "_m"};
  TargetColumns table;
  line = line_without_end(line);
  for (std::size_t at = 0; at <= line.size();) {
    Column column;
    column.name = next_cell(line, at);
    std::string name = column.name;
    if (name.rfind("start.", 0) == 0) {
      column.part = Part::start;
      int found = -1;
      for (int i = 0; i < model.q_size(); ++i) found = model.coordinate_name(i) == name.substr(6) ? i : found;
      if (found < 0) {
        std::vector<std::string> names;
        for (int i = 0; i < model.q_size(); ++i) names.push_back("start." + model.coordinate_name(i));
        return Error{unknown_name("column", name, names)};
      }
      column.index = found;
      column.kind = unit_kind(model, found);
    } else {
      for (const std::string_view unit : kUnits) {
        if (name.size() > unit.size() && name.substr(name.size() - unit.size()) == unit) {
          column.unit = unit.substr(1);
          name.resize(name.size() - unit.size());
          break;
        }
      }
      const Known* known =
          std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) { return k.name == name; });
      if (known == std::end(kKnown)) {
        std::vector<std::string> names;
        for (const Known& k : kKnown) names.emplace_back(k.name);
        names.emplace_back("start.JOINT");
        return Error{unknown_name("column", name, names)};
      }
      column.part = known->part;
      column.index = known->index;
      column.kind = column.part == Part::place ? "length" : column.part == Part::rpy ? "angle" : "";
    }
    for (const Column& other : table.columns_) {
      if (other.part == column.part && other.index == column.index) {
        return Error{"Column " + detail::quoted(column.name) + " stands there twice."};
      }
    }
    table.columns_.push_back(std::move(column));
  }
  const auto count = [&](Part part) {
    return std::count_if(table.columns_.begin(), table.columns_.end(), [&](const Column& c) { return c.part == part; });
  };
  const auto place = count(Part::place);
  const auto turned = count(Part::quaternion) + count(Part::rpy) + count(Part::matrix);
  const bool one = (turned == count(Part::quaternion) && turned == 4) || (turned == count(Part::rpy) && turned == 3) ||
                   (turned == count(Part::matrix) && turned == 9);
  const bool flat = place == 2 && std::none_of(table.columns_.begin(), table.columns_.end(),
                                               [](const Column& c) { return c.part == Part::place && c.index == 2; });
  const bool fits = turned == 0 ? place == 3 || flat : one && (place == 3 || (place == 0 && turned != 9));
  if (!fits) {
    return Error{
        "A table of targets has columns x, y and z, or a rotation (qx, qy, qz, qw or roll, pitch, yaw), or both (also "
        "r11 to r33); x and y alone leave z free."};
  }
  return table;
}

Status TargetColumns::read(std::string_view line, const VecX& start, TargetRow& row) const {
  line = line_without_end(line);
  row.id.clear();
  row.numbers.clear();
  row.start.resize(0);
  NumberWithUnit number;
  std::size_t at = 0;
  if (columns_.empty()) {
    while (at <= line.size()) {
      const std::string cell = next_cell(line, at);
      if (!parse_number_with_unit(cell, number))
        return Error{"Expected a finite number, not " + detail::quoted(cell) + "."};
      row.numbers.push_back(number.value);
      if (row.numbers.size() > 16) break;
    }
    const std::size_t n = row.numbers.size();
    if (n == 2 || n == 3 || n == 4 || n == 7 || n == 16) return {};
    return Error{"A target has 2, 3, 4, 7 or 16 numbers, not " + (n > 16 ? "more" : std::to_string(n)) +
                 "; other forms need a header."};
  }
  double parts[6][9] = {};
  if (has(Part::start)) row.start = start;
  for (const Column& column : columns_) {
    if (at > line.size()) return Error{"The row ends before column " + detail::quoted(column.name) + "."};
    const std::string cell = next_cell(line, at);
    if (column.part == Part::id) {
      row.id = id_as_json(cell);
      continue;
    }
    const Result<double> value = parse_quantity(column.unit.empty() ? cell : cell + column.unit, column.kind,
                                                "Column " + detail::quoted(column.name));
    if (!value) return value.error();
    if (column.part == Part::start) {
      row.start[column.index] = *value;
    } else {
      parts[static_cast<std::size_t>(column.part)][column.index] = *value;
    }
  }
  if (at <= line.size()) return Error{"The row has more cells than the header."};
  const double* place = parts[static_cast<std::size_t>(Part::place)];
  const double* rpy = parts[static_cast<std::size_t>(Part::rpy)];
  const double* matrix = parts[static_cast<std::size_t>(Part::matrix)];
  const double* quaternion = parts[static_cast<std::size_t>(Part::quaternion)];
  if (has(Part::matrix)) {
    for (int r = 0; r < 3; ++r) {
      row.numbers.insert(row.numbers.end(), {matrix[3 * r], matrix[3 * r + 1], matrix[3 * r + 2], place[r]});
    }
    row.numbers.insert(row.numbers.end(), {0, 0, 0, 1});
    return {};
  }
  const bool flat = std::none_of(columns_.begin(), columns_.end(),
                                 [](const Column& c) { return c.part == Part::place && c.index == 2; });
  if (has(Part::place)) row.numbers.assign(place, place + (flat ? 2 : 3));
  if (has(Part::quaternion)) row.numbers.insert(row.numbers.end(), quaternion, quaternion + 4);
  if (has(Part::rpy)) {
    const Quat turned = euler_to_quaternion(EulerOrder{{2, 1, 0}}, Vec3(rpy[2], rpy[1], rpy[0]));
    row.numbers.insert(row.numbers.end(), {turned.x(), turned.y(), turned.z(), turned.w()});
  }
  return {};
}

}  // namespace armature::inline v0_2
