// What a URI in a model may mean: a path from the model's folder, and nothing else.
#pragma once

#include <string>
#include <string_view>

#include "armature/base/result.hpp"

namespace armature::inline v0_2 {

/// "meshes/left%20arm.stl" -> "meshes/left arm.stl". Percent escapes are decoded once. Refused with a sentence: schemes
/// and hosts, absolute paths, backslashes, and control characters, NUL among them. ".." stays; whether it leads out of
/// the folder shows only where links are resolved (open_below).
Result<std::string> path_of_uri(std::string_view uri);

/// The same without folders, for files that are handed over by name: "left arm.stl".
std::string name_of_uri(std::string_view uri);

}  // namespace armature::inline v0_2
