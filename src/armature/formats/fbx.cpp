#include "armature/formats/fbx.hpp"

#include <atomic>

#include "armature/formats/registry.hpp"
#include "armature/formats/source.hpp"

namespace armature::inline v0_2 {
namespace {

std::atomic<FbxReader> fbx_reader{nullptr};

}  // namespace

void set_fbx_reader(FbxReader reader) { fbx_reader = reader; }

bool detect_fbx(std::string_view bytes) {
  return bytes.substr(0, 18) == "Kaydara FBX Binary" || without_bom(bytes).substr(0, 5) == "; FBX";
}

Result<Document> read_fbx(std::string_view bytes, const ReadOptions& options) {
  if (const FbxReader reader = fbx_reader) return reader(bytes, options);
  return Source{bytes, options.file_name}.error(
      "FBX is read by an optional part that this program was built without. Install libassimp-dev and build again, or "
      "convert the file to glTF (.glb), with Blender for example.");
}

}  // namespace armature::inline v0_2
