// Text from files, made safe to show on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace armature::inline v0_2 {

/// The text with "?" for everything that a terminal would obey or that would reorder what it shows: control characters
/// (escape sequences begin with one, in either of their two forms), overrides of the writing direction, and bytes that
/// are not UTF-8. Line ends stay when `lines` is true.
std::string printable(std::string_view text, bool lines = false);

}  // namespace armature::inline v0_2
