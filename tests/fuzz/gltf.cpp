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
  Result<Document> document = read_gltf(bytes, {});
  if (!document) return 0;
  if (!compile(document->linkage)) std::abort();
  // Two keys far apart are 200,000 frames, the most that are read; writing them all would take seconds here.
  for (Clip& clip : document->clips) {
    if (clip.frame_count() > 1000)
      clip.values.resize(static_cast<std::size_t>(1000) * static_cast<std::size_t>(clip.q_size));
  }
  const Result<std::string> written = write_glb(*document, {});
  if (!written || !read_gltf(*written, {})) std::abort();
  return 0;
}
