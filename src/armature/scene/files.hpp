// Files: read whole within a limit, written whole or not at all. Nothing else in the project opens files.
//
// What a person names may be a file or a pipe. What a model names is not to be trusted: only a regular file below a
// folder that the person chose, and no way of naming it leads out (open_below).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/base/result.hpp"

namespace armature {

/// The most that is read of a file unless the caller says otherwise.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 31;

/// A descriptor that closes itself.
class FileHandle {
 public:
  explicit FileHandle(int descriptor = -1) : descriptor_(descriptor) {}
  ~FileHandle();
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// All bytes of a file, a pipe, or standard input ("-"). Folders, devices, missing files and what is larger than
/// `max_bytes` end in a sentence; no more than that is ever held in memory, and nothing is read of a file that is too
/// large.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = kMaxFileBytes);

/// A regular file, open for reading.
struct OpenFile {
  FileHandle handle;
  std::size_t size = 0;
};

/// Opens a regular file that a person named; anything else is refused without opening it.
Result<OpenFile> open_regular(const std::string& path, std::size_t max_bytes = kMaxFileBytes);

/// Opens a regular file that lies below one of the folders `roots` once all links are resolved; hidden files and
/// folders below a root are left alone. Devices, pipes and sockets are never opened. From the root on, no link is
/// followed while opening, so that nobody can change what was checked in between.
Result<OpenFile> open_below(const std::string& path, std::span<const std::string> roots,
                            std::size_t max_bytes = kMaxFileBytes);
Result<std::string> read_open_file(const OpenFile& file, const std::string& name);

/// The names of the regular files in a folder, in order; hidden ones are left out.
Result<std::vector<std::string>> files_in(const std::string& folder);

/// Lines of a file, a pipe or standard input ("-"), as they come.
class LineReader {
 public:
  explicit LineReader(std::string path) : path_(std::move(path)) {}
  Status open();
  /// False at the end. The line comes without its end.
  Result<bool> next(std::string& line);
  /// How much of a regular file has been read, 0 to 1; 0 for a pipe, whose end nobody knows.
  double fraction() const;

 private:
  std::string path_;
  FileHandle file_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;  // of a regular file
  std::size_t read_ = 0;
  bool ended_ = false;
};

/// A file that is written whole or not at all: piece by piece to a temporary file beside `path`, which commit() brings
/// to the disk and renames. Whoever looks sees the old file or the new one, whole, even when the run is interrupted; a
/// run that fails, or is ended by a signal that a program can see, takes its temporary file with it, and what a killed
/// run left is taken away by the next one that writes the same file. Keeps the mode of a file that it replaces, and
/// follows a symbolic link to what it names, also when that is not there yet. Pipes, devices, standard output ("-") and
/// what is open already ("/dev/stdout", "/dev/fd/3") are written to directly; none of these is ever replaced.
class OutputFile {
 public:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Status open();
  Status write(std::string_view bytes);
  /// Anywhere in a file that is not written to directly; see is_direct().
  Status write_at(std::uint64_t offset, std::string_view bytes);
  /// Whether it is a pipe, a device or standard output, which take bytes in their order only.
  bool is_direct() const { return temporary_.empty(); }
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

/// Takes away the temporary file of the output that is being written, for whoever ends the program on the spot: safe in
/// a signal handler.
void remove_unfinished_output();

/// All at once.
Status write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace armature
