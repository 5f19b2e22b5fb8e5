#include "armature/base/version.hpp"

namespace armature::inline v0_2 {

std::string_view version() { return ARMATURE_VERSION; }

}  // namespace armature::inline v0_2
