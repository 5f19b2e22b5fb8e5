#include <cstddef>
#include <cstdint>

#include "armature/formats/builtin_models.hpp"
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) {
  return armature::builtin_models().size() > 100;
}
