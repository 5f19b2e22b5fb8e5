// Denavit-Hartenberg tables as CSV, in and out; docs/formats/dh.md.
#include <algorithm>
#include <cmath>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/dh_table.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/spelling.hpp"

namespace armature::inline v0_2 {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::vector<std::string_view> cells(std::string_view line, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t i = 0;;) {
    const std::size_t end = line.find(separator, i);
    parts.push_back(trimmed(line.substr(i, end == std::string_view::npos ? end : end - i)));
    if (end == std::string_view::npos) return parts;
    i = end + 1;
  }
}

// Lines of a CSV table: "# key: value" comments, a header, one row a line.
class DhCsvReader {
 public:
  explicit DhCsvReader(const Source& source) : source_(source) {}

  Result<Document> read() {
    const std::string_view text = without_bom(source_.bytes);
    const std::size_t skipped = source_.bytes.size() - text.size();
    for (std::size_t i = 0; i < text.size() && error_.message.empty();) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      offset_ = skipped + i;
      line(trimmed(text.substr(i, end - i)));
      i = end + 1;
    }
    if (!error_.message.empty()) return error_;
    if (columns_.empty())
      return source_.error("There is no header; it names the columns: " + detail::join(all_columns()) + ".");
    return dh_document(table_, source_);
  }

 private:
  static std::vector<std::string> all_columns() {
    return {"name", "joint", "a", "alpha", "d", "theta", "lower", "upper", "velocity", "flip"};
  }
  void fail(const std::string& sentence) {
    if (error_.message.empty()) error_ = source_.error(offset_, sentence);
  }

  void line(std::string_view text) {
    if (text.empty()) return;
    if (text[0] == '#') {
      const std::size_t colon = text.find(':');
      if (colon != std::string_view::npos) setting(trimmed(text.substr(1, colon - 1)), trimmed(text.substr(colon + 1)));
    } else if (columns_.empty()) {
      header(text);
    } else {
      row(text);
    }
  }

  void setting(std::string_view key, std::string_view value) {
    if (key == "name") table_.name = value;
    if (key == "convention") {
      if (value != "standard" && value != "modified") {
        fail(unknown_name("convention", value, {"standard", "modified"}));
      }
      table_.convention = value == "modified" ? DhConvention::modified : DhConvention::standard;
    }
    if (key != "base" && key != "tool") return;
    double m[16];
    std::size_t at = 0;
    int count = 0;
    while (count < 16 && (at = value.find_first_not_of(" \t,", at)) != std::string_view::npos &&
           read_number(value, at, m[count])) {
      ++count;
    }
    const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> matrix(m);
    if (count != 16 || at < value.size()) {
      fail("The " + std::string(key) + " must be 16 numbers, a 4x4 matrix row by row.");
      return;
    }
    const Transform x{matrix.topRightCorner<3, 1>(), matrix.topLeftCorner<3, 3>()};
    if (rotation_defect(x.rotation) > 1e-6 || !x.is_finite()) {
      fail("The " + std::string(key) + " is not a rotation and a translation.");
      return;
    }
    (key == "base" ? table_.base : table_.tool) = x;
  }

  void header(std::string_view text) {
    for (const char c : {',', ';', '\t'}) {
      if (text.find(c) != std::string_view::npos) separator_ = c;
    }
    for (const std::string_view cell : cells(text, separator_)) {
      const std::vector<std::string> all = all_columns();
      if (std::find(all.begin(), all.end(), cell) == all.end()) fail(unknown_name("column", cell, all));
      if (std::find(columns_.begin(), columns_.end(), cell) != columns_.end()) {
        fail("The column " + armature::detail::quoted(cell) + " stands twice.");
      }
      columns_.emplace_back(cell);
    }
    for (const char* needed : {"a", "alpha", "d", "theta"}) {
      if (std::find(columns_.begin(), columns_.end(), needed) == columns_.end()) {
        fail("The header lacks the column '" + std::string(needed) + "'.");
      }
    }
  }

  void row(std::string_view text) {
    const std::vector<std::string_view> parts = cells(text, separator_);
    if (parts.size() != columns_.size()) {
      fail("This row has " + std::to_string(parts.size()) + " cells, but the header has " +
           std::to_string(columns_.size()) + ".");
      return;
    }
    if (table_.rows.size() >= kMaxDhRows) fail("A table has at most " + std::to_string(kMaxDhRows) + " rows.");
    DhRow row;
    std::string type;
    DhEntry theta, d;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string& column = columns_[i];
      const std::string_view cell = parts[i];
      const auto number = [&](double& value) {
        if (!parse_number(cell, value))
          fail(column + " must be a number, but it is " + armature::detail::quoted(cell) + ".");
      };
      if (column == "name") row.joint = cell;
      if (column == "joint") type = cell;
      if (column == "a") number(row.a);
      if (column == "alpha") number(row.alpha);
      if ((column == "d" && !parse_dh_entry(cell, d)) || (column == "theta" && !parse_dh_entry(cell, theta))) {
        fail(column + " must be a number, q, or the like of q+0.5, but it is " + armature::detail::quoted(cell) + ".");
      }
      if (cell.empty()) continue;
      if (column == "lower") number(row.limits.lower.emplace_back());
      if (column == "upper") number(row.limits.upper.emplace_back());
      if (column == "velocity") number(row.limits.velocity.emplace_back());
      if (column == "flip") {
        if (cell != "0" && cell != "1") fail("flip must be 0 or 1, but it is " + armature::detail::quoted(cell) + ".");
        row.flip = cell == "1";
      }
    }
    if (row.limits.lower.empty() != row.limits.upper.empty()) {
      (row.limits.lower.empty() ? row.limits.lower : row.limits.upper) = {row.limits.lower.empty() ? -kInfinity
                                                                                                   : kInfinity};
    }
    if (type.empty()) type = d.variable ? "prismatic" : "revolute";
    if (const std::string wrong = finish_dh_row(type, theta, d, row); !wrong.empty()) fail(wrong);
    table_.rows.push_back(std::move(row));
  }

  const Source& source_;
  std::size_t offset_ = 0;
  char separator_ = ',';
  std::vector<std::string> columns_;
  DhTable table_;
  Error error_;
};

}  // namespace

bool detect_dh_csv(std::string_view bytes) {
  std::string_view text = without_bom(bytes).substr(0, 65536);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#') continue;
    return line.find("alpha") != std::string_view::npos && line.find("theta") != std::string_view::npos &&
           line.find('{') == std::string_view::npos && line.find('<') == std::string_view::npos;
  }
  return false;
}

Result<Document> read_dh_csv(std::string_view bytes, const ReadOptions& options) {
  return DhCsvReader(Source{bytes, options.file_name}).read();
}

Result<std::string> write_dh_csv(const Document& document, const WriteOptions& options) {
  const Result<DhTable> table = dh_table_of(document, options);
  if (!table) return table.error();
  const auto number = [&](double v) {
    return options.digits > 0 ? pretty_number(v, options.digits) : format_number(v);
  };
  const auto word = [](std::string text) {  // names must not break the table
    for (char& c : text) c = c == ',' || static_cast<unsigned char>(c) < 0x20 ? '_' : c;
    return text;
  };
  std::string text = "# name: " + word(table->name) + "\n# convention: " + dh_convention_name(table->convention) + "\n";
  for (const auto& [key, x] : {std::pair{"base", &table->base}, std::pair{"tool", &table->tool}}) {
    if (x->is_identity()) continue;
    text += "# " + std::string(key) + ":";
    const Mat4 m = x->matrix();
    for (int i = 0; i < 16; ++i) text += " " + number(m(i / 4, i % 4));
    text += "\n";
  }
  text += "name,joint,a,alpha,d,theta,lower,upper,velocity,flip\n";
  for (const DhRow& row : table->rows) {
    const auto entry = [&](bool variable, double constant) {
      if (!variable) return number(constant);
      if (constant == 0.0) return std::string("q");
      return "q" + std::string(constant < 0.0 ? "" : "+") + number(constant);
    };
    const auto bound = [&](const std::vector<double>& list) {
      return list.empty() || !std::isfinite(list[0]) ? std::string() : number(list[0]);
    };
    text += word(row.joint) + (row.prismatic ? ",prismatic," : ",revolute,") + number(row.a) + "," + number(row.alpha) +
            "," + entry(row.prismatic, row.d) + "," + entry(!row.prismatic, row.theta) + "," + bound(row.limits.lower) +
            "," + bound(row.limits.upper) + "," + bound(row.limits.velocity) + "," + (row.flip ? "1" : "0") + "\n";
  }
  return text;
}

}  // namespace armature::inline v0_2
