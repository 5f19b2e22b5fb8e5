// Fuzzes the mjcf reader (and writer, compile and forward behind it); see support/read_and_pose.hpp.
#include "support/read_and_pose.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  armature::fuzz::read_and_pose("mjcf", data, size);
  return 0;
}
