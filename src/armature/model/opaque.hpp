// What edits do to the parts of a file that a linkage only carries along (Opaque): they follow renaming, and those that
// refer to something that is gone go with it.
//
// The text is XML. A reference is an attribute, or an element's whole content, that equals the name; where a link and a
// joint share a name, the word "joint" or "link" in the element's or attribute's name decides.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

enum class Named { link, joint };

/// Calls `rename` with every reference of that kind in the text; what it returns takes the reference's place.
std::string renamed_references(const std::string& text, Named kind,
                               const std::function<std::string(const std::string&)>& rename);

/// In all opaque parts of the linkage.
void rename_opaque(Linkage& linkage, Named kind, const std::function<std::string(const std::string&)>& rename);

/// Removes the linkage's own opaque parts (not its links' and joints') that refer to a name for which `gone` is true.
void drop_opaque(Linkage& linkage, Named kind, const std::function<bool(const std::string&)>& gone);

}  // namespace armature::inline v0_2
