// Files of the command line: read whole within a limit, written whole or not at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "armature/base/result.hpp"

namespace armature::cli {

/// All bytes of a file, a pipe, or standard input ("-"). Folders, missing files and files beyond `max_bytes` end in a
/// sentence; nothing is read of a file that is too large.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = std::size_t{1} << 31);

/// Writes to a temporary file beside `path`, brings it to the disk and renames it: whoever looks sees the old file or
/// the new one, whole, even when the run is interrupted. Keeps the mode of a file that it replaces, and follows a
/// symbolic link to what it names. Pipes and devices ("/dev/stdout") are written to directly.
Status write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace armature::cli
