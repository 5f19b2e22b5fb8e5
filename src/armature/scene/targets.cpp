#include "armature/scene/targets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {
namespace {

// A stream may make the same slip in every line: each note once, and only the first ones.
void keep_few(std::vector<std::string>& notes, std::size_t told) {
  constexpr std::size_t kMost = 16;
  for (std::size_t i = told; i < notes.size();) {
    const auto here = notes.begin() + static_cast<std::ptrdiff_t>(i);
    if (i >= kMost || std::find(notes.begin(), here, *here) != here) {
      notes.erase(here);
    } else {
      ++i;
    }
  }
}

}  // namespace

Result<bool> TargetParser::read_header(const std::string& line) {
  if (!csv_ || !is_table_header(line)) return false;
  Result<TargetColumns> columns = TargetColumns::from_header(line, scene_.model);
  if (!columns) return Error{name_ + ", line 1: " + columns.message()};
  columns_ = std::move(*columns);
  return true;
}

Status TargetParser::read_line(const std::string& line, std::int64_t number, Target& target) {
  target.where = name_ + ", line " + std::to_string(number);
  target.start = scene_.start;
  target.id.clear();
  const std::size_t told = scene_.notes.size();
  Status status = read_text(line, number, target);
  keep_few(scene_.notes, told);
  return status;
}

Status TargetParser::read_text(const std::string& line, std::int64_t number, Target& target) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (!csv_) return read_json(line, static_cast<int>(std::min(number, kMost)), target);
  if (Status status = columns_.read(line, target.start, row_); !status) {
    return Error{target.where + ": " + status.message()};
  }
  if (row_.start.size() > 0) {
    target.start = row_.start;
    if (Status status = normalize_quaternions(scene_.model, target.start.data()); !status) {
      return Error{target.where + ": " + status.message()};
    }
  }
  target.id = row_.id;
  return read_numbers(row_.numbers, target);
}

Status TargetParser::read_numbers(std::span<const double> numbers, Target& target) {
  if (numbers.size() == width_) {
    target.goal = pattern_;
    if (set_target(target.goal, numbers)) return {};
  }
  JsonTree tree;
  JsonTreeBuilder builder(tree);
  bool fits = builder.begin_object() && builder.key("target") && builder.begin_array();
  for (const double number : numbers) {
    if (!std::isfinite(number)) return Error{target.where + ": A target has finite numbers only."};
    fits = fits && builder.number(number);
  }
  if (!fits || !builder.end() || !builder.end()) return Error{target.where + ": " + builder.mistake};
  const std::string id = std::move(target.id);
  if (Status status = read_value(JsonInput::from_tree(std::move(tree)), target); !status) {
    return Error{target.where + ": " + status.message()};
  }
  target.id = id;
  width_ = numbers.size();
  pattern_ = target.goal;
  return {};
}

Status TargetParser::read_json(const std::string& line, int number, Target& target) {
  const Result<JsonInput> input = JsonInput::parse(line, name_, number);
  return input ? read_value(*input, target) : input.error();
}

Status TargetParser::read_value(const JsonInput& input, Target& target) {
  JsonFields fields(input.source());
  const Value root = input.root();
  JsonObject object(fields, root, "a line of targets");
  if (!fields.ok()) return fields.error();
  if (const Value id = object.get("id")) target.id = JsonText().copy(id).text();
  if (const Value start = object.get("start")) {
    read_pose(fields, start, scene_.model, target.start, scene_.notes);
  }
  if (!scene_.goals.empty()) {
    target.goal = scene_.goals.front();
    const Value value = object.require("target");
    const GoalContext context{scene_.model, target.start, scene_.tip_name(), scene_.base, scene_.notes, true};
    if (!value || !read_target(fields, value, context, target.goal) || !object.finish()) return fields.error();
    return {};
  }
  if (!fields.ok()) return fields.error();
  const GoalContext context{scene_.model, target.start, scene_.tip_name(), scene_.base, scene_.notes, true};
  if (!read_goal(fields, root, context, target.goal)) return fields.error();
  return {};
}

TargetReader::TargetReader(const std::string& path, Scene& scene)
    : lines_(path),
      named_(path.ends_with(".csv") || path.ends_with(".jsonl") || path.ends_with(".json")),
      parser_(path == "-" ? "Standard input" : path, path.ends_with(".csv"), scene) {}

Result<bool> TargetReader::next(Target& target) {
  std::string line;
  for (;;) {
    const Result<bool> more = lines_.next(line);
    if (!more || !*more) return more;
    ++number_;
    const std::size_t text = line.find_first_not_of(" \t\r");
    if (text == std::string::npos) continue;
    const bool first = !begun_;
    begun_ = true;
    if (first) {
      if (!named_) parser_.set_table(line[text] != '{' && line[text] != '[');
      const Result<bool> header = parser_.read_header(line);
      if (!header) return header.error();
      if (*header) continue;
    }
    if (Status status = parser_.read_line(line, number_, target); !status) return status.error();
    return true;
  }
}

}  // namespace armature::inline v0_2
