#include "armature/scene/targets.hpp"

#include <algorithm>

#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {
namespace {

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

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

// Names and no number: a first row with a slip in one of its numbers is a mistake, not a header.
bool is_header(const std::string& line) {
  const std::vector<std::string> items = split_list(line);
  return std::none_of(items.begin(), items.end(), [](const std::string& item) {
    NumberWithUnit number;
    return parse_number_with_unit(item, number);
  });
}

}  // namespace

TargetReader::TargetReader(std::string path, Scene& scene)
    : lines_(path), name_(path == "-" ? "Standard input" : path), csv_(ends_with(path, ".csv")), scene_(scene) {}

Result<bool> TargetReader::next(Target& target) {
  std::string line;
  for (;;) {
    const Result<bool> more = lines_.next(line);
    if (!more || !*more) return more;
    ++number_;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    target.where = name_ + ", line " + std::to_string(number_);
    target.start = scene_.start;
    target.id.clear();
    bool header = false;
    const std::size_t told = scene_.notes.size();
    const Status status = csv_ ? read_row(line, target, header) : read_json(line, target);
    keep_few(scene_.notes, told);
    if (!status) return status.error();
    if (!header) return true;
  }
}

Status TargetReader::read_json(const std::string& line, Target& target) {
  Result<JsonInput> input = JsonInput::parse(line, name_, number_);
  if (!input) return input.error();
  JsonFields fields(input->source());
  const Value root = input->root();
  JsonObject object(fields, root, "a line of targets");
  if (!fields.ok()) return fields.error();
  if (const Value id = object.get("id")) target.id = JsonText().copy(id).text();
  if (const Value start = object.get("start")) {
    read_pose(fields, start, scene_.model(), target.start, scene_.notes);
  }
  if (!scene_.goals.empty()) {
    target.goal = scene_.goals.front().goal;
    const Value value = object.require("target");
    const GoalContext context{scene_.model(), target.start, scene_.tip, scene_.base, scene_.notes, true};
    if (!value || !read_target(fields, value, context, target.goal) || !object.finish()) return fields.error();
    return {};
  }
  if (!fields.ok()) return fields.error();
  SceneGoal goal;
  const GoalContext context{scene_.model(), target.start, scene_.tip, scene_.base, scene_.notes, true};
  if (!read_goal(fields, root, context, goal)) return fields.error();
  target.goal = goal.goal;
  return {};
}

Status TargetReader::read_row(const std::string& line, Target& target, bool& header) {
  const Result<std::vector<double>> numbers = parse_numbers(line, target.where);
  if (!numbers && number_ == 1 && is_header(line)) {
    header = true;
    return {};
  }
  if (!numbers) return numbers.error();
  const bool fits = numbers->size() == 2 || numbers->size() == 3 || numbers->size() == 7;
  if (!fits)
    return Error{target.where + ": A target has 2, 3 or 7 numbers, not " + std::to_string(numbers->size()) + "."};
  JsonText json;
  return read_json(json.begin_object()
                       .key("target")
                       .numbers(numbers->data(), static_cast<Eigen::Index>(numbers->size()))
                       .end()
                       .text(),
                   target);
}

}  // namespace armature::inline v0_2
