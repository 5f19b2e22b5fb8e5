// Fuzzes both spellings of Denavit-Hartenberg tables; see support/read_and_pose.hpp.
#include "support/read_and_pose.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  armature::fuzz::read_and_pose("dh", data, size);
  armature::fuzz::read_and_pose("dh_csv", data, size);
  return 0;
}
