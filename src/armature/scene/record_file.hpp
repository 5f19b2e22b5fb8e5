// Records appended to a file one after the other, each with a checksum. What a run that was killed leaves behind is
// read back as far as it is whole: the checkpoint of large jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "armature/scene/files.hpp"

namespace armature {

class RecordFile {
 public:
  /// Opens the file, or begins it; calls `each` for the records that are there and cuts off a torn one behind them.
  /// Refuses the file of another fingerprint, and one that another run writes to.
  Status open(const std::string& path, std::uint64_t fingerprint,
              const std::function<Status(std::string_view record)>& each);
  Status append(std::string_view record);
  /// Takes the file away: the work is done.
  void remove();

 private:
  std::string path_;
  FileHandle file_;
};

/// The checksum of ZIP and PNG; `crc` continues that of what came before.
std::uint32_t crc32(std::string_view bytes, std::uint32_t crc = 0);

}  // namespace armature
