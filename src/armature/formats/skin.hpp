// Surfaces that a file brought along (glTF's meshes and skins), in the frames of the linkage's links. A viewer draws a
// vertex at the sum of weight * X_WL(link) * inverse_bind * position, over its four influences.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "armature/formats/document.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

/// Triangles of one material. Rigid on `link` when `joints` is empty; `inverse_bind` is empty then too.
struct Surface {
  std::string name;
  std::vector<float> positions;        // three a vertex
  std::vector<float> normals;          // three a vertex, or none
  std::vector<std::uint32_t> indices;  // three a triangle
  std::vector<std::uint16_t> joints;   // four a vertex: index into `links`
  std::vector<float> weights;          // four a vertex, sum 1
  std::vector<int> links;              // of the model
  std::vector<float> inverse_bind;     // 16 a bone, column-major: from the surface to the link's frame at rest
  int link = -1;
  std::optional<std::array<double, 4>> color;  // linear, with alpha
};

/// The surfaces of a document that glTF's reader made; none for other documents, or when the linkage was changed since.
std::vector<Surface> surfaces(const Document& document, const Model& model);

}  // namespace armature::inline v0_2
