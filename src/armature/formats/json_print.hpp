// JSON as text for people: what fits on one line stays on one line, numbers are the shortest that read back exactly.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace armature::inline v0_2 {

/// `digits` 0: exact; else at most so many significant digits. Non-finite numbers become null.
std::string print_json(const nlohmann::ordered_json& value, int digits = 0);

/// "text" in quotes with JSON escapes; malformed UTF-8 is replaced by U+FFFD.
std::string json_quoted(std::string_view text);

}  // namespace armature::inline v0_2
