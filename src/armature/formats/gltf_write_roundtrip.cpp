// A linkage back into the glTF file that it came from: meshes, skins, materials and everything unknown stay, nodes
// follow the linkage.
#include "armature/base/suggest.hpp"
#include "armature/formats/gltf_output.hpp"
#include "armature/model/compile.hpp"

namespace armature::inline v0_2 {
namespace {

// All buffers that are here become one; views follow.
void merge_gltf_buffers(const GltfFile& file, GltfOutput& out) {
  std::vector<std::size_t> start, index;
  Json buffers = Json::array({Json()});
  for (std::size_t b = 0; b < file.buffers.size(); ++b) {
    if (file.buffers[b].present) {
      out.buffer.append((8 - out.buffer.size() % 8) % 8, '\0');
      start.push_back(out.buffer.size());
      index.push_back(0);
      out.buffer += file.buffers[b].bytes;
    } else {
      start.push_back(0);
      index.push_back(buffers.size());
      buffers.push_back(out.json["buffers"][b]);
    }
  }
  if (file.buffers.empty()) return;
  const auto move = [&](Json& view) {
    const auto b = view["buffer"].get<std::size_t>();
    if (b >= start.size()) return;
    view["buffer"] = index[b];
    const Json* offset = gltf_member(view, "byteOffset");
    const std::size_t moved = start[b] + (offset != nullptr ? offset->get<std::size_t>() : 0);
    if (moved > 0) view["byteOffset"] = moved;
  };
  if (out.json.contains("bufferViews")) {
    for (Json& view : out.json["bufferViews"]) move(view);
  }
  out.json["buffers"] = std::move(buffers);
}

}  // namespace

bool same_gltf_tree(const GltfExtra& extra, const Model& model) {
  const Result<Model> then = compile(extra.linkage);
  if (!then || then->link_count() != model.link_count()) return false;
  for (int i = 0; i < model.link_count(); ++i) {
    if (then->link_name(i) != model.link_name(i) || then->parent(i) != model.parent(i)) return false;
  }
  return true;
}

void write_gltf_roundtrip(const GltfExtra& extra, GltfOutput& out) {
  out.json = extra.file.json;
  merge_gltf_buffers(extra.file, out);
  out.node_of_link.assign(static_cast<std::size_t>(out.model.link_count()), -1);
  out.above.assign(static_cast<std::size_t>(out.model.link_count()), Mat3::Identity());
  const Result<Model> then = compile(extra.linkage);
  for (std::size_t n = 0; n < extra.tree.nodes.size(); ++n) {
    const GltfNode& node = extra.tree.nodes[n];
    const int link = out.model.lookup_link(node.link).value_or(-1);
    if (link < 0) continue;
    out.node_of_link[static_cast<std::size_t>(link)] = static_cast<int>(n);
    out.above[static_cast<std::size_t>(link)] = node.above;
    const Transform& now = out.model.joint(link).origin;
    const Transform& before = then->joint(link).origin;
    if (now.rotation == before.rotation && now.position == before.position) continue;
    make_gltf_trs(out.json["nodes"][n], node);
    Transform local = now;
    local.position = out.without_scale(link, now.position);
    put_gltf_transform(out.json["nodes"][n], local);
  }
  const Result<Json> own = linkage_to_json(out.document.linkage);
  const Result<Json> read = linkage_to_json(extra.linkage);
  const bool stored = out.json.contains("extras") && out.json["extras"].contains("armature");
  if (own && read && (stored || *own != *read)) out.json["extras"]["armature"] = *own;
  for (const Json& image : gltf_list(out.json, "images")) {
    if (const Json* uri = gltf_member(image, "uri");
        uri != nullptr && uri->is_string() && uri->get<std::string>().rfind("data:", 0) != 0) {
      out.note("The file goes on referring to the image " + armature::detail::quoted(uri->get<std::string>()) + ".");
    }
  }
}

}  // namespace armature::inline v0_2
