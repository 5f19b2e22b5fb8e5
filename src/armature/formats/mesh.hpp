// Triangles of STL (text and binary), OBJ and DAE (COLLADA) files: what bodies and obstacles are fitted around. Only
// the surface counts; colors, textures and normals are passed over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/geom/distance.hpp"

namespace armature::inline v0_2 {

inline constexpr std::size_t kMaxMeshTriangles = 5'000'000;

/// By content and by the name's extension. Lengths in the file's unit; a DAE's unit is applied (metres).
/// Triangles with a corner that is not finite are an error.
Result<std::vector<Triangle>> read_mesh(std::string_view bytes, const std::string& file_name);

}  // namespace armature::inline v0_2
