// All file formats. One .cpp and one line in registry.cpp per format; convert, info, check, studio and Python follow.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/document.hpp"

namespace armature::inline v0_2 {

struct Format {
  const char* name;                                                              // "urdf"
  const char* label;                                                             // "Unified Robot Description Format"
  const char* extensions;                                                        // "urdf xml", first is the one written
  bool motion;                                                                   // carries clips
  bool binary;                                                                   // not text
  bool (*detect)(std::string_view bytes);                                        // by content
  Result<Document> (*read)(std::string_view bytes, const ReadOptions& options);  // null: cannot be read
  Result<std::string> (*write)(const Document& document, const WriteOptions& options);  // null: cannot be written
};

std::span<const Format> formats();

/// By content first, then by the extension of options.file_name; the error lists what can be read.
Result<const Format*> detect_format(std::string_view bytes, std::string_view file_name);
/// One that can be written, by its name; the error lists them.
Result<const Format*> format_named(std::string_view name);
/// By extension, for writing.
Result<const Format*> format_for_writing(std::string_view file_name);

Result<Document> read_document(std::string_view bytes, const ReadOptions& options);
/// The text, or with options.sink "": the sink has had it all.
Result<std::string> write_document(const Document& document, const Format& format, const WriteOptions& options);

}  // namespace armature::inline v0_2
