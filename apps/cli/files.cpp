#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "armature/base/suggest.hpp"

namespace armature::cli {
namespace {

std::string shown(const std::string& path) { return armature::quoted(path); }

Error failure(const std::string& what, const std::string& path) {
  const int number = errno;
  std::string reason = std::strerror(number);
  if (number == ENOENT) reason = "there is no such file or folder";
  if (number == EACCES || number == EPERM) reason = "permission denied";
  if (number == ENOSPC) reason = "the disk is full";
  return Error{"The file " + shown(path) + " cannot be " + what + ": " + reason + "."};
}

// A descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }
  bool close() {
    const int descriptor = descriptor_;
    descriptor_ = -1;
    return ::close(descriptor) == 0;
  }

 private:
  int descriptor_;
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), std::min<std::size_t>(bytes.size(), 1u << 30));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Status write_directly(const std::string& path, std::string_view bytes) {
  const File file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0 || !write_all(file.get(), bytes)) return failure("written", path);
  return {};
}

mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const bool standard_input = path == "-";
  const File file(standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return failure("opened", path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return failure("opened", path);
  if (S_ISDIR(info.st_mode)) return Error{shown(path) + " is a folder, not a file."};
  const auto too_large = [&] {
    return Error{(standard_input ? "Standard input" : "The file " + shown(path)) + " has more than " +
                 std::to_string(max_bytes) + " bytes, the most that are read."};
  };
  const std::size_t expected = S_ISREG(info.st_mode) && info.st_size > 0 ? static_cast<std::size_t>(info.st_size) : 0;
  if (expected > max_bytes) return too_large();
  // One byte more than expected, so that the last read sees the end.
  std::string bytes(expected + 1, '\0');
  std::size_t size = 0;
  while (true) {
    if (size == bytes.size()) bytes.resize(bytes.size() + std::max<std::size_t>(1u << 16, bytes.size() / 2));
    const ssize_t got = ::read(file.get(), bytes.data() + size, std::min<std::size_t>(bytes.size() - size, 1u << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("read", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > max_bytes) return too_large();
  }
  bytes.resize(size);
  return bytes;
}

Status write_file_atomically(const std::string& path, std::string_view bytes) {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return Error{shown(path) + " is a folder, not a file."};
  if (exists && !S_ISREG(info.st_mode)) return write_directly(path, bytes);
  std::error_code ignored;
  std::filesystem::path target = path;
  if (exists) {
    const auto real = std::filesystem::canonical(path, ignored);
    if (!ignored) target = real;
  }
  std::string temporary = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
  File file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return failure("written", path);
  const auto give_up = [&] {
    const Error error = failure("written", path);
    ::unlink(temporary.c_str());
    return error;
  };
  if (!write_all(file.get(), bytes) || ::fchmod(file.get(), exists ? info.st_mode & 07777 : default_mode()) != 0 ||
      ::fsync(file.get()) != 0 || !file.close() || ::rename(temporary.c_str(), target.c_str()) != 0) {
    return give_up();
  }
  // The new name itself survives a power cut only when the folder is on the disk too; not every file system can.
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  const File directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) ::fsync(directory.get());
  return {};
}

}  // namespace armature::cli
