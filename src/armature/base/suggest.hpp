// Helpful words for errors: the nearest valid name, and lists of valid names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace armature::inline v0_2 {

/// "; did you mean 'forearm'?" when one of `names` is close to `word`, else "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

/// "There is no joint 'elbw'; did you mean 'elbow'? Valid names: shoulder, elbow." for any kind of thing.
std::string unknown_name(std::string_view kind, std::string_view word, const std::vector<std::string>& names);

namespace detail {

/// "a, b, c"; at most `most` of them, then ", ... (N in all)".
std::string join(const std::vector<std::string>& names, std::size_t most = 24);

/// 'name' in quotes, shortened in the middle when overlong, control characters replaced: safe to show.
std::string quoted(std::string_view name);

}  // namespace detail
}  // namespace armature::inline v0_2
