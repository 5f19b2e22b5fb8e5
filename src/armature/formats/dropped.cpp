#include "armature/formats/dropped.hpp"

#include "armature/base/suggest.hpp"
#include "armature/formats/document.hpp"

namespace armature::inline v0_2 {

std::string NameList::text() const {
  std::string all;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const bool last = i + 1 == names_.size() && count_ == names_.size();
    all += (i == 0 ? "" : last ? " and " : ", ") + armature::detail::quoted(names_[i]);
  }
  if (count_ > names_.size()) all += " and " + std::to_string(count_ - names_.size()) + " more";
  return all;
}

void note_dropped(const Document& document, const char* format, bool poses, Dropped dropped,
                  const WriteOptions& options) {
  if (options.notes == nullptr) return;
  const Linkage& linkage = document.linkage;
  if (!poses) dropped.add("named pose", linkage.poses.size());
  if (!poses) dropped.add("ignored pair", linkage.ignored_pairs.size());
  dropped.add("motion", document.clips.size());
  dropped.add("description", linkage.description.empty() ? 0 : 1);
  dropped.add("named effector", linkage.effectors.size());
  dropped.add("group", linkage.groups.size());
  dropped.add("body for clearance", linkage.bodies.size());
  dropped.add("drive", linkage.drives.size());
  const std::string lost = linkage.extra ? linkage.extra->format_only() : "";
  if (!lost.empty()) options.notes->push_back("Not kept in " + std::string(format) + ": " + lost + ".");
  if (!dropped.empty()) {
    options.notes->push_back(dropped.sentence("Dropped (" + std::string(format) + " cannot represent it):"));
  }
}

}  // namespace armature::inline v0_2
