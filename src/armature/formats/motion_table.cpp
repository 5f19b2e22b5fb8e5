#include "armature/formats/motion_table.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "armature/base/suggest.hpp"
#include "armature/formats/registry.hpp"

namespace armature::inline v0_2 {

bool FrameClock::take(double time) {
  if (!std::isfinite(time)) return false;
  if (count_ == 0.0) {
    start_ = time;
  } else if (count_ == 1.0) {
    step_ = time - start_;
    if (!(step_ > 0.0)) return false;
  } else if (std::abs(time - expected()) > 0.01 * step_ + 1e-9 * std::abs(time)) {
    return false;
  }
  count_ += 1.0;
  return true;
}

Result<Clip> clip_of_table(const MotionTable& table, const Model& model, std::vector<std::string>& notes) {
  std::unordered_map<std::string, int> by_name;
  std::vector<std::string> names;
  for (int q = 0; q < model.q_size(); ++q) {
    names.push_back(model.coordinate_name(q));
    by_name.emplace(names.back(), q);
  }
  std::vector<int> target;
  std::vector<char> given(names.size(), 0);
  for (const std::string& column : table.columns) {
    const auto found = by_name.find(column);
    if (found == by_name.end()) return Error{unknown_name("coordinate", column, names)};
    if (given[static_cast<std::size_t>(found->second)] != 0) {
      return Error{"The column " + armature::detail::quoted(column) + " is there twice."};
    }
    given[static_cast<std::size_t>(found->second)] = 1;
    target.push_back(found->second);
  }
  const auto missing = std::count(given.begin(), given.end(), 0);
  if (missing > 0) notes.push_back(std::to_string(missing) + " coordinates have no column; they stay neutral.");
  std::vector<double> neutral(names.size(), 0.0);
  for (int i = 0; i < model.link_count(); ++i) {
    const ModelJoint& joint = model.joint(i);
    if (!joint.mimic) neutral_coordinates(joint.type, neutral.data() + joint.q_index);
  }
  Clip clip;
  clip.name = table.name;
  clip.q_size = model.q_size();
  if (table.frame_time > 0.0) clip.frame_time = table.frame_time;
  const std::size_t width = table.columns.size();
  const std::size_t rows = width > 0 ? table.values.size() / width : 0;
  clip.values.reserve(rows * neutral.size());
  for (std::size_t r = 0; r < rows; ++r) {
    clip.values.insert(clip.values.end(), neutral.begin(), neutral.end());
    double* q = clip.values.data() + clip.values.size() - neutral.size();
    for (std::size_t c = 0; c < width; ++c) q[target[c]] = table.values[r * width + c];
  }
  return clip;
}

namespace {
const Format* json_format() {
  for (const Format& format : formats()) {
    if (std::string_view(format.name) == "json") return &format;
  }
  return nullptr;
}
}  // namespace

Result<std::string> linkage_line(const Linkage& linkage) {
  Document bare;
  bare.linkage = linkage;
  const Result<std::string> text = json_format()->write(bare, {});
  if (!text) return text.error();
  return nlohmann::ordered_json::parse(*text, nullptr, false).dump();
}

Result<Linkage> linkage_of_line(std::string_view line) {
  Result<Document> document = json_format()->read(line, {});
  if (!document) return document.error();
  return std::move(document->linkage);
}

}  // namespace armature::inline v0_2
