// Fuzzes the readers of motion tables (CSV and JSON lines): whatever it accepts must compile, and what is then written
// must be read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "armature/formats/motion_table.hpp"
#include "armature/model/compile.hpp"

using namespace armature;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const Result<Document> document = read_csv(bytes, {}); document.ok()) {
    const Result<std::string> text = write_csv(*document, {});
    if (!text || !read_csv(*text, {})) std::abort();
  }
  if (const Result<Document> document = read_jsonl(bytes, {}); document.ok()) {
    const Result<std::string> text = write_jsonl(*document, {});
    if (!text || !read_jsonl(*text, {})) std::abort();
  }
  return 0;
}
