// Denavit-Hartenberg tables as JSON, in and out; docs/formats/dh.md. The mathematics is in model/dh.hpp.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/dh_table.hpp"
#include "armature/formats/dropped.hpp"
#include "armature/formats/json_fields.hpp"
#include "armature/formats/json_print.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/spelling.hpp"

namespace armature::inline v0_2 {
namespace {

class DhJsonReader {
 public:
  DhJsonReader(const Source& source, const ReadOptions& options) : f_(source), source_(source), options_(options) {}

  Result<Document> read(JsonRef root) {
    if (!f_.expect(root, JsonKind::object, "a Denavit-Hartenberg table, an object {...}")) return f_.error();
    std::string note;
    JsonRef table = root;
    if (const JsonRef robots = root.get("robots"); robots && f_.expect(robots, JsonKind::array)) {
      if (robots.size() == 0) f_.fail(robots, "There is no table in this list.");
      table = choose(robots, note);
    }
    if (!f_.ok()) return f_.error();
    read_table(table);
    if (!f_.ok()) return f_.error();
    Result<Document> document = dh_document(table_, source_);
    if (!document) return document;
    if (!note.empty()) document->notes.push_back(note);
    if (!dropped_.empty()) document->notes.push_back(dropped_.sentence("Dropped (not part of a table):"));
    return document;
  }

 private:
  // One of several tables in a file: the one asked for, else the first.
  JsonRef choose(JsonRef robots, std::string& note) {
    std::vector<std::string> names;
    JsonRef first;
    for (const JsonRef robot : robots) {
      std::string name;
      if (!f_.expect(robot, JsonKind::object)) return {};
      if (const JsonRef v = robot.get("name"); v && !f_.text(v, name)) return {};
      if (!first) first = robot;
      if (!options_.part.empty() && name == options_.part) return robot;
      names.push_back(name);
    }
    if (!options_.part.empty()) f_.fail(robots, unknown_name("table", options_.part, names));
    note = "The file holds " + std::to_string(names.size()) + " tables and the first was read; there are " +
           detail::join(names) + ".";
    return first;
  }

  void read_table(JsonRef at) {
    for (const JsonRef member : at) {
      const std::string_view key = member.key();
      if (key == "name") {
        f_.text(member, table_.name);
      } else if (key == "convention") {
        read_convention(member);
      } else if (key == "base") {
        read_transform(member, table_.base);
      } else if (key == "tool") {
        read_transform(member, table_.tool);
      } else if (key != "rows" && key != "format" && key != "version") {
        dropped_.add("'" + std::string(key) + "'");
      }
    }
    if (!f_.ok()) return;
    if (!at.get("convention")) f_.fail(at, "A table needs \"convention\": \"standard\" or \"modified\".");
    const JsonRef rows = at.get("rows");
    if (!rows) {
      f_.fail(at, "A table needs \"rows\".");
    } else if (f_.expect(rows, JsonKind::array)) {
      if (rows.size() > kMaxDhRows) f_.fail(rows, "A table has at most " + std::to_string(kMaxDhRows) + " rows.");
      for (const JsonRef row : rows) {
        if (f_.ok()) read_row(row);
      }
    }
  }

  void read_convention(JsonRef at) {
    std::string word;
    if (!f_.text(at, word)) return;
    if (word != "standard" && word != "modified") {
      f_.fail(at, unknown_name("convention", word, {"standard", "modified"}));
    }
    table_.convention = word == "modified" ? DhConvention::modified : DhConvention::standard;
  }

  // Four rows of four numbers.
  void read_transform(JsonRef at, Transform& x) {
    Mat4 m;
    if (!f_.expect(at, JsonKind::array, "an array of 4 rows")) return;
    if (at.size() != 4) {
      f_.fail(at, "This must hold 4 rows of 4 numbers.");
      return;
    }
    int r = 0;
    for (const JsonRef row : at) {
      double numbers[4];
      if (!f_.numbers(row, numbers, 4)) return;
      m.row(r++) = Eigen::Map<const Eigen::RowVector4d>(numbers);
    }
    x = {m.topRightCorner<3, 1>(), m.topLeftCorner<3, 3>()};
    if (m.row(3) != Eigen::RowVector4d(0, 0, 0, 1) || rotation_defect(x.rotation) > 1e-3) {
      f_.fail(at, "This 4x4 matrix is not a rotation and a translation.");
    } else if (rotation_defect(x.rotation) > 1e-9) {
      x.rotation = orthonormalized(x.rotation);
    }
  }

  DhEntry read_entry(JsonRef at) {
    DhEntry entry;
    if (at.is(JsonKind::string)) {
      if (!parse_dh_entry(at.text(), entry)) {
        f_.fail(at, armature::detail::quoted(at.text()) + " must be a number, \"q\", or the like of \"q + 0.5\".");
      }
    } else {
      f_.number(at, entry.constant);
    }
    return entry;
  }

  void read_row(JsonRef at) {
    JsonObject object(f_, at, "a row");
    DhRow row;
    std::string type = "revolute";
    DhEntry theta, d;
    if (const JsonRef v = object.get("name")) f_.text(v, row.joint);
    if (const JsonRef v = object.require("joint")) f_.text(v, type);
    if (const JsonRef v = object.require("a")) f_.number(v, row.a);
    if (const JsonRef v = object.require("alpha")) f_.number(v, row.alpha);
    if (const JsonRef v = object.require("d")) d = read_entry(v);
    if (const JsonRef v = object.require("theta")) theta = read_entry(v);
    if (const JsonRef v = object.get("theta_offset")) f_.number(v, row.theta);
    if (const JsonRef v = object.get("d_offset")) f_.number(v, row.d);
    if (const JsonRef v = object.get("flip")) f_.boolean(v, row.flip);
    if (const JsonRef v = object.get("limits"); v && !v.is(JsonKind::null)) {
      if (f_.expect(v, JsonKind::array, "an array of 2 numbers") && v.size() != 2) {
        f_.fail(v, "Limits are two numbers [lower, upper], null for none.");
      }
      row.limits.lower = {-kInfinity};
      row.limits.upper = {kInfinity};
      double* bound = row.limits.lower.data();
      for (const JsonRef item : v) {
        if (f_.ok() && !item.is(JsonKind::null)) f_.number(item, *bound);
        bound = row.limits.upper.data();
      }
    }
    if (const JsonRef v = object.get("velocity"); v && !v.is(JsonKind::null)) {
      f_.number(v, row.limits.velocity.emplace_back());
    }
    object.finish();
    if (!f_.ok()) return;
    if (const std::string wrong = finish_dh_row(type, theta, d, row); !wrong.empty()) f_.fail(at, wrong);
    table_.rows.push_back(std::move(row));
  }

  JsonFields f_;
  const Source& source_;
  const ReadOptions& options_;
  DhTable table_;
  Dropped dropped_;
};

nlohmann::ordered_json matrix_json(const Transform& x) {
  const Mat4 m = x.matrix();
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (int r = 0; r < 4; ++r) rows.push_back({m(r, 0), m(r, 1), m(r, 2), m(r, 3)});
  return rows;
}

}  // namespace

bool detect_dh(std::string_view bytes) {
  bool convention = false;
  bool rows = false;
  bool robots = false;
  for (const std::string& key : top_level_keys(bytes)) {
    convention = convention || key == "convention";
    rows = rows || key == "rows";
    robots = robots || key == "robots";
  }
  return (convention && rows) || (robots && bytes.find("\"convention\"") != std::string_view::npos);
}

Result<Document> read_dh(std::string_view bytes, const ReadOptions& options) {
  const Source source{bytes, options.file_name};
  const Result<JsonTree> tree = JsonTree::parse(source);
  if (!tree) return tree.error();
  return DhJsonReader(source, options).read(tree->root());
}

Result<std::string> write_dh(const Document& document, const WriteOptions& options) {
  const Result<DhTable> table = dh_table_of(document, options);
  if (!table) return table.error();
  nlohmann::ordered_json file;
  file["name"] = table->name;
  file["convention"] = dh_convention_name(table->convention);
  if (!table->base.is_identity()) file["base"] = matrix_json(table->base);
  file["rows"] = nlohmann::ordered_json::array();
  for (const DhRow& row : table->rows) {
    nlohmann::ordered_json item;
    item["name"] = row.joint;
    item["joint"] = row.prismatic ? "prismatic" : "revolute";
    item["a"] = row.a;
    item["alpha"] = row.alpha;
    if (row.prismatic) {
      item["d"] = "q";
      item["theta"] = row.theta;
      if (row.d != 0.0) item["d_offset"] = row.d;
    } else {
      item["d"] = row.d;
      item["theta"] = "q";
      if (row.theta != 0.0) item["theta_offset"] = row.theta;
    }
    if (row.flip) item["flip"] = true;
    const Limits& limits = row.limits;
    if (!limits.lower.empty() || !limits.upper.empty()) {
      item["limits"] = {limits.lower.empty() ? -kInfinity : limits.lower[0],
                        limits.upper.empty() ? kInfinity : limits.upper[0]};  // infinities are printed as null
    }
    if (!limits.velocity.empty()) item["velocity"] = limits.velocity[0];
    file["rows"].push_back(std::move(item));
  }
  if (!table->tool.is_identity()) file["tool"] = matrix_json(table->tool);
  return print_json(file, options.digits);
}

}  // namespace armature::inline v0_2
