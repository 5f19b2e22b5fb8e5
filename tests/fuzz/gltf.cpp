// Fuzzes the GLTF reader: whatever it accepts must compile, and what is then written must be read again.
#include "armature/formats/gltf.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "armature/model/compile.hpp"

using namespace armature;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result<Document> document = read_gltf(bytes, {});
  if (!document) return 0;
  if (!compile(document->linkage)) std::abort();
  const Result<std::string> written = write_glb(*document, {});
  if (!written || !read_gltf(*written, {})) std::abort();
  return 0;
}
