// Joints, links and variables are numbered by int, because "none" is -1; containers count in std::size_t.
#pragma once

#include <cstddef>

namespace armature::inline v0_2 {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace armature::inline v0_2
