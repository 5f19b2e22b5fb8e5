// The files of exercises/, built into the library (cmake/embed.cmake). A header of its own: what is embedded compiles
// in no time as long as it reads nothing else.
#pragma once

#include <span>
#include <string_view>

namespace armature::inline v0_2 {

struct BuiltinExercise {
  std::string_view name;
  std::string_view json;
};
std::span<const BuiltinExercise> builtin_exercises();

}  // namespace armature::inline v0_2
