// The sample linkages of models/, built into the library. To add one, put NAME.json into models/; the build embeds it
// (cmake/embed.cmake) and every surface lists it.
#pragma once

#include <span>
#include <string_view>

namespace armature::inline v0_2 {

struct BuiltinModel {
  std::string_view name;  // the file's name without its extension, e.g. "puma560"
  std::string_view json;  // the whole text in Armature's own format
};

// Sorted by name; the text lives as long as the program.
std::span<const BuiltinModel> builtin_models();

}  // namespace armature::inline v0_2
