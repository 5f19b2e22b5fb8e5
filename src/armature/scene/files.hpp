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

/// A file that is written whole or not at all: piece by piece to a temporary file beside `path`, which commit() brings
/// to the disk and renames. Whoever looks sees the old file or the new one, whole, even when the run is interrupted; a
/// run that fails, or is ended by a signal that a program can see, takes its temporary file with it. Keeps the mode of
/// a file that it replaces, and follows a symbolic link to what it names. Pipes and devices ("/dev/stdout") and
/// standard output ("-") are written to directly.
class OutputFile {
 public:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Status open();
  Status write(std::string_view bytes);
  Status commit();

 private:
  Error give_up();
  void close_and_forget();

  std::string path_;
  std::string target_;     // path_ behind symbolic links
  std::string temporary_;  // "": written to directly
  int descriptor_ = -1;
  unsigned mode_ = 0;
};

/// All at once.
Status write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace armature::cli
