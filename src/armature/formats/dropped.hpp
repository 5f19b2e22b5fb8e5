// Counts what a reader or writer cannot represent, and says it in one sentence: nothing is dropped silently.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace armature::inline v0_2 {

class Dropped {
 public:
  /// `what` as it is to be read after a count: "<inertial>", "effort limits".
  void add(std::string_view what, std::size_t times = 1) {
    if (times > 0) counts_[std::string(what.substr(0, 60))] += times;
  }
  bool empty() const { return counts_.empty(); }

  /// "Dropped (a linkage cannot represent it): 7 x <inertial>, 2 x <gazebo>." Most frequent kinds first.
  std::string sentence(std::string_view start) const {
    std::vector<std::pair<std::size_t, std::string>> sorted;
    for (const auto& [what, count] : counts_) sorted.emplace_back(count, what);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text(start);
    constexpr std::size_t kMost = 30;
    for (std::size_t i = 0; i < sorted.size() && i < kMost; ++i) {
      text += (i == 0 ? " " : ", ") + std::to_string(sorted[i].first) + " x " + sorted[i].second;
    }
    if (sorted.size() > kMost) text += ", and " + std::to_string(sorted.size() - kMost) + " other kinds";
    return text + ".";
  }

 private:
  std::map<std::string, std::size_t> counts_;
};

struct Document;
struct WriteOptions;
/// A writer's last notes: what the robot formats cannot represent of a document beside its links and joints, and what
/// was counted on the way. `poses`: named poses and ignored pairs are in the file.
void note_dropped(const Document& document, const char* format, bool poses, Dropped dropped,
                  const WriteOptions& options);

/// Names gathered for one remark: "Joints 'a', 'b' and 3 more have no limits."
class NameList {
 public:
  void add(std::string_view name) {
    if (names_.size() < 8) names_.emplace_back(name);
    ++count_;
  }
  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  std::string text() const;  // "'a', 'b' and 3 more"

 private:
  std::vector<std::string> names_;
  std::size_t count_ = 0;
};

}  // namespace armature::inline v0_2
