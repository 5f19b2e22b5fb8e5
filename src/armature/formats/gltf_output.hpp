// A glTF file in the making: what the parts of its writer share. gltf_write_new.cpp makes nodes, skin and shapes of a
// linkage that came from elsewhere, gltf_write_roundtrip.cpp puts one back into the file it came from, gltf_motion.cpp
// writes the clips.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "armature/formats/gltf.hpp"

namespace armature::inline v0_2 {

/// Numbers in the buffer: how they are seen.
struct GltfLayout {
  const char* type;     // "VEC3"
  int width;            // numbers in one element
  int component;        // kGltfFloat
  int target = 0;       // 34962: vertices, 34963: indices
  bool bounds = false;  // "min" and "max" of each component
};
inline constexpr int kGltfVertices = 34962, kGltfIndices = 34963;

struct GltfOutput {
  GltfOutput(const Document& document, const WriteOptions& options, Model model)
      : document(document), options(options), model(std::move(model)) {}

  const Document& document;
  const WriteOptions& options;
  Model model;
  Json json;
  std::string buffer;
  std::vector<int> node_of_link;  // -1: none
  std::vector<Mat3> above;        // stretch of each link's parent node

  void note(std::string sentence) const {
    if (options.notes != nullptr) options.notes->push_back(std::move(sentence));
  }
  /// Views, accessors and the buffer grow together; the accessor's number.
  int add_accessor(const std::vector<float>& values, const GltfLayout& layout);
  int add_accessor(const std::vector<std::uint8_t>& values, const GltfLayout& layout);
  int add_accessor(const std::vector<std::uint16_t>& values, const GltfLayout& layout);
  int add_accessor(const std::vector<std::uint32_t>& values, const GltfLayout& layout);
  int add_floats(const std::vector<float>& values, const char* type, int width, int target = 0, bool bounds = false) {
    return add_accessor(values, {type, width, kGltfFloat, target, bounds});
  }
  /// The buffer's own entry; `embed`: its bytes go into the JSON.
  void finish(bool embed);
  /// A translation of the link's node as the file counts it, below nodes with a scale.
  Vec3 without_scale(int link, const Vec3& translation) const;
};

/// A place and a turn; what is zero is left out.
void put_gltf_transform(Json& node, const Transform& x);
/// Our own form of the linkage, so that joint types, limits, shapes and exact numbers come back.
Result<Json> linkage_to_json(const Linkage& linkage);
/// A node with a matrix gets translation, rotation and scale instead, which animations need.
void make_gltf_trs(Json& node, const GltfNode& from);

void write_gltf_new(GltfOutput& out);
/// The same links on the same parents as when it was read.
bool same_gltf_tree(const GltfExtra& extra, const Model& model);
void write_gltf_roundtrip(const GltfExtra& extra, GltfOutput& out);
/// `extra`: the file that the clips came from, or null.
Status write_gltf_animations(const GltfExtra* extra, GltfOutput& out);
/// After that: what only animations used that were written anew.
void drop_replaced_animation_data(const GltfExtra& extra, GltfOutput& out);

}  // namespace armature::inline v0_2
