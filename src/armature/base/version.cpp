#include "armature/base/version.hpp"

namespace armature {

std::string_view version() { return ARMATURE_VERSION; }

}  // namespace armature
