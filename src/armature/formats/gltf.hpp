// glTF 2.0 (.gltf and .glb): what its parts share. gltf_container.cpp opens the file and its buffers, gltf_check.cpp
// refuses what the specification forbids, gltf_data.cpp reads accessors, gltf_read.cpp makes links and joints,
// gltf_animation.cpp samples motions, gltf_write.cpp writes (gltf_output.hpp). The mapping: docs/formats/gltf.md.
//
// JSON is nlohmann's; the rest of glTF is read here rather than by tinygltf, because everything in the file must come
// back when it is written (unknown extensions too), and because broken files must end in a sentence.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/base64.hpp"
#include "armature/formats/document.hpp"
#include "armature/formats/source.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t kMaxGltfValues = 4'000'000;  // JSON values in one file
inline constexpr int kMaxGltfDepth = 100;                 // nesting of JSON
inline constexpr std::size_t kMaxGltfNodes = 100'000;
inline constexpr std::size_t kMaxGltfNumbers = 64'000'000;  // numbers in all sampled motions
inline constexpr int kMaxGltfFrames = 200'000;              // frames of one sampled motion

struct GltfBuffer {
  std::string bytes;
  bool present = false;  // false: the file does not say, or it lies on a network
};

/// An opened file: its JSON, and the bytes of its buffers (whose uris are taken out of the JSON).
struct GltfFile {
  Json json;
  std::vector<GltfBuffer> buffers;
};

/// Where the file stands in messages; the first mistake is kept.
class GltfMistake {
 public:
  explicit GltfMistake(const Source& source) : source_(source) {}
  bool ok() const { return message_.empty(); }
  Error error() const { return Error{message_}; }
  /// "figure.gltf, /nodes/3/rotation: <sentence>" unless there is an error already. Returns false.
  bool fail(std::string_view pointer, std::string_view sentence);

 private:
  const Source& source_;
  std::string message_;
};

/// The member of an object, or null when it is absent (or `object` is none).
const Json* gltf_member(const Json& object, const char* key);
/// The list of that name at the top level; an empty list when it is absent.
const Json& gltf_list(const Json& root, const char* key);
/// A reference that gltf_check() has found sound; -1 when absent.
int gltf_index(const Json& object, const char* key);
/// A name for messages and links: the object's own, or "node_3".
std::string gltf_name(const Json& object, const char* kind, std::size_t index);

Result<GltfFile> open_gltf(const Source& source, const ReadOptions& options, std::vector<std::string>& notes);
std::string pack_glb(const Json& json, const std::string& buffer);

/// Everything that the rest relies on: lists, references, ranges, trees, skins, animations.
bool check_gltf(const GltfFile& file, GltfMistake& mistake, std::vector<std::string>& notes);

/// Numbers of a checked accessor, component after component; integers are normalised when the accessor says so.
/// Accessors without data are zeros, as the specification says.
std::vector<double> read_accessor(const GltfFile& file, int accessor);
/// Whether the data can be read at all (its buffers are present).
bool accessor_present(const GltfFile& file, int accessor);
inline constexpr int kGltfFloat = 5126;
int component_size(int component_type);     // bytes; 0 for a type that is not known
int component_count(const Json& accessor);  // 3 for "VEC3"; 0 for a type that is not known

/// How one node stands for one link.
struct GltfNode {
  std::string link;                 // "" for nodes that are not in the scene
  int parent = -1;                  // node
  Transform rest;                   // in the parent's frame, the parents' scale applied: the joint's placement
  Mat3 stretch = Mat3::Identity();  // what scales make of lengths in this node's frame
  Mat3 above = Mat3::Identity();    // the parent's stretch
  bool has_matrix = false;
};

/// Rigid parts and scales of all nodes, parents before children in `order`. Remarks on what is not rigid.
struct GltfTree {
  std::vector<GltfNode> nodes;
  std::vector<int> order;  // nodes of the scene, depth-first
  std::vector<int> roots;
};
GltfTree read_gltf_tree(const Json& root, std::vector<std::string>& notes);

/// The motions of a checked file. `clips` get one entry for each animation that moves a link.
struct GltfMovement {
  bool turns = false;
  bool slides = false;
};
std::vector<GltfMovement> animated_nodes(const GltfFile& file, const GltfTree& tree);
Status sample_animations(const GltfFile& file, const GltfTree& tree, const Model& model, const Source& source,
                         Document& document, std::vector<int>& animation_of_clip);

/// What writing wants back: the whole file, and what was made of it.
struct GltfExtra : Extra {
  GltfFile file;
  GltfTree tree;
  Linkage linkage;  // as read
  std::vector<std::string> clip_names;
  std::vector<std::uint64_t> hashes;  // of the clips
  std::vector<int> animations;        // of each clip

  std::string format_only() const override;
  bool joints_can_move() const override { return true; }
};
std::uint64_t clip_hash(const Clip& clip);
/// The file when all lengths of its linkage are multiplied, meshes and skins too; null for what came from elsewhere.
std::shared_ptr<const Extra> scaled_gltf(const Extra* extra, double factor);

/// Triangles and lines of a linkage in its rest pose, for files without a skin of their own.
struct GltfSurface {
  std::vector<float> positions, normals;  // three a vertex
  std::vector<std::uint16_t> joints;      // one a vertex
  std::vector<std::uint32_t> indices;
  std::array<double, 4> color{0.6, 0.6, 0.65, 1.0};
  bool lines = false;  // a strip, not triangles
};
std::vector<GltfSurface> make_surfaces(const Model& model, const std::vector<Transform>& rest,
                                       std::vector<std::string>* notes);

// The format's entries in the registry; glb differs in what is written only.
bool detect_gltf(std::string_view bytes);
bool detect_glb(std::string_view bytes);
Result<Document> read_gltf(std::string_view bytes, const ReadOptions& options);
Result<Document> read_glb(std::string_view bytes, const ReadOptions& options);
Result<std::string> write_gltf(const Document& document, const WriteOptions& options);
Result<std::string> write_glb(const Document& document, const WriteOptions& options);

}  // namespace armature::inline v0_2
