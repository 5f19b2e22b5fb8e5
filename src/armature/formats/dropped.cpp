#include "armature/formats/dropped.hpp"

#include "armature/base/suggest.hpp"

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

}  // namespace armature::inline v0_2
