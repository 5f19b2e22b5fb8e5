// The library's version, as the build system knows it (project(armature VERSION ...) in CMakeLists.txt).
#pragma once

#include <string_view>

namespace armature::inline v0_2 {

std::string_view version();  // "major.minor.patch"

}  // namespace armature::inline v0_2
