// Fuzzes the sdf reader (and writer, compile and forward behind it); see support/read_and_pose.hpp.
#include "support/read_and_pose.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  armature::fuzz::read_and_pose("sdf", data, size);
  return 0;
}
