// The COLLADA part of mesh.hpp.
#pragma once

#include "armature/formats/mesh.hpp"
#include "armature/formats/source.hpp"

namespace armature::inline v0_2 {

Result<std::vector<Triangle>> read_dae(const Source& source);

}  // namespace armature::inline v0_2
