#include "armature/formats/source.hpp"

#include <algorithm>

namespace armature::inline v0_2 {
namespace {

// Length of the well-formed UTF-8 sequence at text[i], 0 when malformed (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(k < text.size() ? text[k] : 0); };
  const auto continues = [&](std::size_t k) { return (byte(k) & 0xC0) == 0x80; };
  const unsigned char a = byte(i);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return continues(i + 1) ? 2 : 0;
  if (a >= 0xE0 && a <= 0xEF) {
    const unsigned char b = byte(i + 1);
    if ((a == 0xE0 && b < 0xA0) || (a == 0xED && b > 0x9F)) return 0;
    return continues(i + 1) && continues(i + 2) ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    const unsigned char b = byte(i + 1);
    if ((a == 0xF0 && b < 0x90) || (a == 0xF4 && b > 0x8F)) return 0;
    return continues(i + 1) && continues(i + 2) && continues(i + 3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

int Source::line(std::size_t offset) const {
  const std::string_view before = bytes.substr(0, std::min(offset, bytes.size()));
  return first_line + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

int Source::column(std::size_t offset) const {
  const std::string_view before = bytes.substr(0, std::min(offset, bytes.size()));
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  return 1 + static_cast<int>(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string Source::where(std::size_t offset) const {
  const auto after =
      std::find_if(parts.begin(), parts.end(), [&](const SourcePart& part) { return part.begin > offset; });
  if (after != parts.begin()) {
    const SourcePart& part = *(after - 1);
    return Source{bytes.substr(part.begin, offset - part.begin), part.name, part.line}.where(offset - part.begin);
  }
  return (name.empty() ? "Line " : name + ", line ") + std::to_string(line(offset));
}

Error Source::error(std::size_t offset, std::string_view sentence) const {
  return {where(offset) + ": " + std::string(sentence), line(offset), column(offset)};
}

Error Source::error(std::string_view sentence) const {
  return {name.empty() ? std::string(sentence) : name + ": " + std::string(sentence)};
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string to_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0) {
      clean += "\xEF\xBF\xBD";
      ++i;
    } else {
      clean.append(text, i, length);
      i += length;
    }
  }
  return clean;
}

std::string_view without_bom(std::string_view text) {
  return text.substr(0, 3) == "\xEF\xBB\xBF" ? text.substr(3) : text;
}

}  // namespace armature::inline v0_2
