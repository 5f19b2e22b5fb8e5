#include "armature/scene/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "armature/base/suggest.hpp"
#include "armature/scene/file_errors.hpp"

namespace armature {
namespace {

namespace fs = std::filesystem;

Error too_large(const std::string& path, std::size_t max_bytes) {
  return Error{(path == "-" ? "Standard input" : "The file " + armature::quoted(path)) + " has more than " +
               std::to_string(max_bytes) + " bytes, the most that are read."};
}

ssize_t read_some(int descriptor, char* to, std::size_t size) {
  while (true) {
    const ssize_t got = ::read(descriptor, to, std::min<std::size_t>(size, 1u << 30));
    if (got >= 0 || errno != EINTR) return got;
  }
}

// What a person named: a file, a pipe, standard input or a terminal. Of any other device only one that is at its end at
// once (/dev/null): the rest never end.
Result<OpenFile> open_named(const std::string& path) {
  if (has_zero_byte(path)) return zero_byte_error(path);
  OpenFile file;
  file.handle = FileHandle(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.handle.get() < 0) return file_error("opened", path);
  struct stat info {};
  if (::fstat(file.handle.get(), &info) != 0) return file_error("opened", path);
  if (S_ISDIR(info.st_mode)) return Error{armature::quoted(path) + " is a folder, not a file."};
  const bool device = S_ISBLK(info.st_mode) || (S_ISCHR(info.st_mode) && ::isatty(file.handle.get()) == 0);
  char byte = 0;
  if (device && read_some(file.handle.get(), &byte, 1) != 0) {
    return Error{(path == "-" ? "Standard input" : armature::quoted(path)) + " is a device, not a file."};
  }
  if (S_ISREG(info.st_mode) && info.st_size > 0) file.size = static_cast<std::size_t>(info.st_size);
  return file;
}

// What was opened, looked at once more: it may have changed since.
Result<OpenFile> checked(OpenFile file, const std::string& path, std::size_t max_bytes) {
  struct stat info {};
  if (file.handle.get() < 0 || ::fstat(file.handle.get(), &info) != 0) return file_error("opened", path);
  if (!S_ISREG(info.st_mode)) return Error{armature::quoted(path) + " is not a regular file."};
  file.size = static_cast<std::size_t>(info.st_size);
  if (file.size > max_bytes) return too_large(path, max_bytes);
  return file;
}

// The path of `file` seen from `root`, both without links; "" when it does not lie below.
fs::path path_below(const fs::path& file, const fs::path& root) {
  const auto [in_root, in_file] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  fs::path rest;
  if (in_root != root.end()) return rest;
  for (auto part = in_file; part != file.end(); ++part) rest /= *part;
  return rest;
}

Result<std::string> read_all(int descriptor, const std::string& name, std::size_t expected, std::size_t max_bytes) {
  if (expected > max_bytes) return too_large(name, max_bytes);
  // One byte more than expected, so that the last read sees the end.
  std::string bytes(expected + 1, '\0');
  std::size_t size = 0;
  while (true) {
    if (size == bytes.size()) {
      const std::size_t more = std::max<std::size_t>(1u << 16, size / 2);
      bytes.resize(more > max_bytes - size ? max_bytes + 1 : size + more);
    }
    const ssize_t got = read_some(descriptor, bytes.data() + size, bytes.size() - size);
    if (got < 0) return file_error("read", name);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > max_bytes) return too_large(name, max_bytes);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

FileHandle::~FileHandle() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const Result<OpenFile> file = open_named(path);
  if (!file) return file.error();
  return read_all(file->handle.get(), path, file->size, max_bytes);
}

Result<OpenFile> open_regular(const std::string& path, std::size_t max_bytes) {
  if (has_zero_byte(path)) return zero_byte_error(path);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return file_error("opened", path);
  if (!S_ISREG(info.st_mode)) return Error{armature::quoted(path) + " is not a regular file."};
  OpenFile file{FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)), 0};
  return checked(std::move(file), path, max_bytes);
}

Result<OpenFile> open_below(const std::string& path, std::span<const std::string> roots, std::size_t max_bytes) {
  if (has_zero_byte(path)) return zero_byte_error(path);
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed);
  if (failed) {
    errno = failed.value();
    return file_error("opened", path);
  }
  fs::path root, rest;
  for (const std::string& folder : roots) {
    root = fs::canonical(folder.empty() ? "." : folder, failed);
    if (!failed) rest = path_below(real, root);
    if (!rest.empty()) break;
  }
  if (rest.empty()) return Error{"The file " + armature::quoted(path) + " lies outside the model's folder."};
  FileHandle folder(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (auto part = rest.begin(); part != rest.end(); ++part) {
    if (part->native().front() == '.') return Error{"The file " + armature::quoted(path) + " is hidden."};
    if (folder.get() < 0) return file_error("opened", path);
    struct stat info {};
    // What is no regular file is not even opened: a pipe would wait for its writer, and a device may act.
    if (::fstatat(folder.get(), part->c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return file_error("opened", path);
    const bool last = std::next(part) == rest.end();
    if (last && !S_ISREG(info.st_mode)) return Error{armature::quoted(path) + " is not a regular file."};
    folder = FileHandle(::openat(folder.get(), part->c_str(),
                                 O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | (last ? 0 : O_DIRECTORY)));
  }
  return checked(OpenFile{std::move(folder), 0}, path, max_bytes);
}

Result<std::string> read_open_file(const OpenFile& file, const std::string& name) {
  return read_all(file.handle.get(), name, file.size, file.size);
}

Result<std::vector<std::string>> files_in(const std::string& folder) {
  if (has_zero_byte(folder)) return zero_byte_error(folder);
  std::error_code failed;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    std::error_code unknown;
    const std::string name = entry->path().filename().string();
    if (name.front() != '.' && entry->is_regular_file(unknown)) names.push_back(name);
  }
  if (failed) {
    errno = failed.value();
    return file_error("opened", folder);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status LineReader::open() {
  Result<OpenFile> file = open_named(path_);
  if (!file) return file.error();
  file_ = std::move(file->handle);
  size_ = file->size;
  return {};
}

Result<bool> LineReader::next(std::string& line) {
  constexpr std::size_t kLongest = std::size_t{1} << 28;
  constexpr std::size_t kPiece = 1u << 16;
  std::size_t looked_at = at_;
  while (true) {
    const std::size_t end = buffer_.find('\n', looked_at);
    if (end != std::string::npos || (ended_ && at_ < buffer_.size())) {
      line = buffer_.substr(at_, end == std::string::npos ? end : end - at_);
      at_ = end == std::string::npos ? buffer_.size() : end + 1;
      return true;
    }
    if (ended_) return false;
    buffer_.erase(0, at_);
    at_ = 0;
    looked_at = buffer_.size();
    if (looked_at > kLongest) return too_large("a line of " + path_, kLongest);
    buffer_.resize(looked_at + kPiece);
    const ssize_t got = read_some(file_.get(), buffer_.data() + looked_at, kPiece);
    if (got < 0) return file_error("read", path_);
    buffer_.resize(looked_at + static_cast<std::size_t>(got));
    read_ += static_cast<std::size_t>(got);
    ended_ = got == 0;
  }
}

double LineReader::fraction() const {
  return size_ == 0 ? 0.0 : std::min(1.0, static_cast<double>(read_) / static_cast<double>(size_));
}

}  // namespace armature
