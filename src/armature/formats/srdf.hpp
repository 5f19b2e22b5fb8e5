// SRDF, the semantic description that MoveIt keeps beside a URDF: groups, named states, end effectors, and pairs of
// links whose collisions are ignored. Read onto a linkage that was read from the URDF.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

/// Adds groups, poses, effectors and ignored pairs. What names a link or joint that the linkage lacks is left out with
/// a note; XML that is none, or another outermost element than <robot>, is an error.
Status read_srdf(std::string_view bytes, const std::string& file_name, Linkage& linkage,
                 std::vector<std::string>& notes);

}  // namespace armature::inline v0_2
