// The text a reader reads, with its name: turns byte offsets into "arm.urdf, line 12" for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "armature/base/result.hpp"

namespace armature::inline v0_2 {

/// A stretch of a text that was put together from several files: it lasts until the next one begins.
struct SourcePart {
  std::size_t begin = 0;
  std::string name;
  int line = 1;  // in its file
};

struct Source {
  std::string_view bytes;
  std::string name;                    // file name for messages; may be empty
  int first_line = 1;                  // of a file, where the bytes are a part of it
  std::vector<SourcePart> parts = {};  // of several files; empty: all bytes are of one

  /// 1-based line that holds the byte at `offset`.
  int line(std::size_t offset) const;

  /// 1-based place of the byte in its line, in characters.
  int column(std::size_t offset) const;

  /// "arm.urdf, line 12" ("Line 12" without a name).
  std::string where(std::size_t offset) const;

  /// The whole sentence: where, then ": ", then what is wrong and what would be right.
  Error error(std::size_t offset, std::string_view sentence) const;
  /// The same for the file as a whole: "arm.urdf: ...".
  Error error(std::string_view sentence) const;
};

/// True for well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF).
bool is_utf8(std::string_view text);

/// `text` with every malformed byte replaced by U+FFFD.
std::string to_utf8(std::string_view text);

/// `text` without a UTF-8 byte order mark.
std::string_view without_bom(std::string_view text);

}  // namespace armature::inline v0_2
