// Fuzzes the BVH reader: whatever it accepts must compile, and what is then written must be read again.
#include "armature/formats/bvh.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "armature/model/compile.hpp"

using namespace armature;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const char* positions : {"auto", "absolute"}) {
    ReadOptions options;
    options.bvh_positions = positions;
    const Result<Document> document = read_bvh(bytes, options);
    if (!document) continue;
    // Offsets near the end of the range of numbers may add up to infinity; compile says so.
    if (!compile(document->linkage)) continue;
    const Result<std::string> text = write_bvh(*document, {});
    if (!text || !read_bvh(*text, options)) std::abort();
  }
  return 0;
}
