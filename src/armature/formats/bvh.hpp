// BVH, the motion capture format: the parts that its reader (bvh_read.cpp), its hierarchy (bvh_hierarchy.cpp) and its
// writer (bvh_write.cpp) share. How bones become links and joints: docs/formats/bvh.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/document.hpp"
#include "armature/formats/source.hpp"
#include "armature/formats/text_cursor.hpp"

namespace armature::inline v0_2 {

/// 0 to 2: position along x, y, z; 3 to 5: rotation about x, y, z.
using BvhChannel = std::uint8_t;
inline bool is_rotation(BvhChannel channel) { return channel >= 3; }
inline int axis_of(BvhChannel channel) { return channel % 3; }
const char* bvh_channel_name(BvhChannel channel);  // "Xposition"

/// One ROOT, JOINT or End Site, parents before children, in the file's order.
struct BvhBone {
  std::string name;
  int parent = -1;  // index of a bone; -1: a root
  Vec3 offset = Vec3::Zero();
  std::vector<BvhChannel> channels;
  bool end_site = false;
  bool absolute = false;     // position channels replace the OFFSET; else they are added to it
  std::size_t position = 0;  // in the text, for messages
};

inline constexpr std::size_t kMaxBvhBones = 100'000;
inline constexpr std::size_t kMaxBvhName = 1'000;

/// The HIERARCHY section; `cursor` ends behind it. Remarks go to `notes`.
Result<std::vector<BvhBone>> parse_bvh_hierarchy(const Source& source, TextCursor& cursor,
                                                 std::vector<std::string>& notes);

/// The joint of a bone, named like it, with limits of 0 where the file has no channel. The channels are known to be
/// sound.
Joint bvh_joint(const BvhBone& bone);
/// The coordinate of the bone's joint that its channel `index` moves.
int bvh_coordinate(const BvhBone& bone, std::size_t index);

/// At most `most` bytes of a text in UTF-8, never part of a character.
std::string first_bytes(const std::string& text, std::size_t most);

/// The link that several ROOTs hang on.
inline constexpr const char* kBvhRoots = "roots";
/// The name of an End Site that has none: "Hand_end", then "Hand_end2".
std::string bvh_end_name(const std::string& parent, int count);

/// What the writer wants back: channel orders and conventions of the file that was read.
struct BvhExtra : Extra {
  std::vector<BvhBone> bones;
  std::string up;  // axis that points up in the file
  std::string format_only() const override;
};

// The format's entries in the registry.
bool detect_bvh(std::string_view bytes);
Result<Document> read_bvh(std::string_view bytes, const ReadOptions& options);
Result<std::string> write_bvh(const Document& document, const WriteOptions& options);

}  // namespace armature::inline v0_2
