#include "armature/base/suggest.hpp"

#include <algorithm>

#include "armature/base/printable.hpp"

namespace armature::inline v0_2 {
namespace {

// Levenshtein distance of two short words, or of the first one to the nearest part of the second.
std::size_t edit_distance(std::string_view a, std::string_view b, bool part = false) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = part ? 0 : j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return part ? *std::min_element(row.begin(), row.end()) : row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 64;  // longer names are no typing mistakes
  if (word.size() > kLongest) return "";
  std::size_t best = word.size() / 3 + 2;
  const std::string* nearest = nullptr;
  const std::string* part = nullptr;
  std::size_t part_size = kLongest + 1;
  constexpr std::size_t kMost = 10000;  // of a larger crowd only the first are looked at, so that errors stay quick
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    const std::string& name = names[i];
    if (name.size() > kLongest) continue;
    const std::size_t distance = edit_distance(word, name);
    if (distance < best) {
      best = distance;
      nearest = &name;
    }
  }
  // A part of a name, three letters at least: "elbow" for "elbow_joint"; of four or more one may be wrong: "elbw". The
  // shortest such name is the likeliest.
  for (std::size_t wrong = 0; wrong < 2 && nearest == nullptr && part == nullptr && word.size() >= 3 + wrong; ++wrong) {
    for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
      if (names[i].size() < part_size && names[i].size() <= kLongest && edit_distance(word, names[i], true) <= wrong) {
        part = &names[i];
        part_size = part->size();
      }
    }
  }
  if (nearest == nullptr) nearest = part;
  return nearest != nullptr ? "; did you mean " + detail::quoted(*nearest) + "?" : "";
}

std::string unknown_name(std::string_view kind, std::string_view word, const std::vector<std::string>& names) {
  const std::string hint = did_you_mean(word, names);
  return "There is no " + std::string(kind) + " " + detail::quoted(word) + (hint.empty() ? "." : hint) +
         (names.empty() ? "" : " Valid names: " + detail::join(names) + ".");
}

std::string detail::join(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += ", ... (" + std::to_string(names.size()) + " in all)";
  return text;
}

std::string detail::quoted(std::string_view name) {
  std::string text = "'";
  const auto append = [&](std::string_view part) { text += printable(part); };
  if (name.size() <= 80) {
    append(name);
  } else {
    append(name.substr(0, 40));
    text += "...";
    append(name.substr(name.size() - 24));
  }
  return text + "'";
}

}  // namespace armature::inline v0_2
