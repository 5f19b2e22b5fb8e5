// A linkage and its clips to glTF. What came from a glTF file goes back into it (gltf_write_roundtrip.cpp), any other
// linkage gets a file of its own (gltf_write_new.cpp) and is stored in `extras` as it is.
#include "armature/formats/gltf_output.hpp"
#include "armature/model/compile.hpp"

namespace armature::inline v0_2 {
namespace {

Status make_gltf(GltfOutput& out) {
  const auto* extra = dynamic_cast<const GltfExtra*>(out.document.linkage.extra.get());
  if (extra != nullptr && !same_gltf_tree(*extra, out.model)) {
    out.note("The linkage was changed since it was read: the meshes and skins of its glTF file are not written.");
    extra = nullptr;
  }
  if (out.model.link_count() > 65535)
    return Error{"A skin of glTF has at most 65535 joints; the linkage has more links."};
  if (extra != nullptr) {
    write_gltf_roundtrip(*extra, out);
  } else {
    write_gltf_new(out);
  }
  if (const Status status = write_gltf_animations(extra, out); !status) return status;
  if (extra != nullptr) drop_replaced_animation_data(*extra, out);
  // Chunks count their bytes in 32 bits.
  if (out.buffer.size() > 0xFFFF0000ull) return Error{"The motion is too large for one glTF file of 4 GiB."};
  return {};
}

Result<GltfOutput> finished_output(const Document& document, const WriteOptions& options, bool embed) {
  Result<Model> model = compile(document.linkage);
  if (!model) return model.error();
  GltfOutput out(document, options, std::move(*model));
  if (const Status status = make_gltf(out); !status) return status.error();
  out.finish(embed);
  return out;
}

}  // namespace

Result<std::string> write_gltf(const Document& document, const WriteOptions& options) {
  Result<GltfOutput> out = finished_output(document, options, true);
  if (!out) return out.error();
  return out->json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::string> write_glb(const Document& document, const WriteOptions& options) {
  Result<GltfOutput> out = finished_output(document, options, false);
  if (!out) return out.error();
  return pack_glb(out->json, out->buffer);
}

}  // namespace armature::inline v0_2
