// Files that are written whole or not at all.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "armature/base/suggest.hpp"
#include "armature/scene/file_errors.hpp"
#include "armature/scene/files.hpp"

namespace armature {
namespace {

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), std::min<std::size_t>(bytes.size(), 1u << 30));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

// --- the temporary file does not outlive a run that a signal ends ----------------------------------------------------

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ};
char temporary_in_work[PATH_MAX];  // "": none

extern "C" void end_without_temporary(int signal) {
  remove_unfinished_output();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

// Only where nobody else listens: `workspace` ends its work in its own way.
void watch_signals(const std::string& temporary) {
  if (temporary.size() >= sizeof temporary_in_work) return;
  std::memcpy(temporary_in_work, temporary.c_str(), temporary.size() + 1);
  for (const int signal : kEndingSignals) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
      ::signal(signal, end_without_temporary);
    }
  }
}

void forget_signals() {
  for (const int signal : kEndingSignals) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == end_without_temporary) ::signal(signal, SIG_DFL);
  }
  temporary_in_work[0] = 0;
}

// --- where the bytes go ----------------------------------------------------------------------------------------------

// What "/dev/stdout", "/dev/fd/3" and the like name; -1 for other names. Opened anew, a file behind it would be written
// from its beginning, or be replaced though somebody else still writes to it.
int named_descriptor(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.rfind(folder, 0) != 0) continue;
    int number = -1;
    const char* end = path.data() + path.size();
    const auto [stop, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && stop == end && number >= 0) return number;
  }
  return -1;
}

// The name behind symbolic links, also when the last one names a file that is not there yet.
Result<std::filesystem::path> behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // the system's own limit
  std::filesystem::path at = path;
  for (int n = 0; n < kMostLinks; ++n) {
    struct stat info {};
    if (::lstat(at.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return at;
    std::error_code failed;
    const std::filesystem::path next = std::filesystem::read_symlink(at, failed);
    if (failed) return file_error("written", path);
    at = at.parent_path() / next;  // an absolute one stands for itself
  }
  errno = ELOOP;
  return file_error("written", path);
}

// --- nor does it stay behind a run that was killed -------------------------------------------------------------------
// Whoever writes holds a lock on the temporary file, and loses it in whichever way it ends. The next writer of the same
// output takes away what nobody holds.

constexpr std::size_t kRandomLetters = 6;  // of mkostemp

void remove_stale(const std::filesystem::path& folder, const std::string& prefix) {
  std::error_code ended;
  std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, ended);
  for (; !ended && entry != std::filesystem::directory_iterator(); entry.increment(ended)) {
    const std::string name = entry->path().filename().string();
    if (name.size() != prefix.size() + kRandomLetters || name.rfind(prefix, 0) != 0) continue;
    const FileHandle stale(::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (stale.get() >= 0 && ::flock(stale.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
  }
}

// A new temporary file that is ours; -1 and errno when there is none. Between making and locking it another run may
// take it for stale.
int make_temporary(const std::filesystem::path& folder, const std::string& prefix, std::string& path) {
  while (true) {
    path = (folder / (prefix + std::string(kRandomLetters, 'X'))).string();
    const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor < 0) return -1;
    struct stat info {};
    const bool taken = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && ::fstat(descriptor, &info) == 0 && info.st_nlink > 0) return descriptor;
    ::close(descriptor);
  }
}

}  // namespace

void remove_unfinished_output() {
  if (temporary_in_work[0] != 0) ::unlink(temporary_in_work);
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  close_and_forget();
}

void OutputFile::close_and_forget() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) forget_signals();
  temporary_.clear();
}

Error OutputFile::give_up() {
  const Error error = file_error("written", path_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  close_and_forget();
  return error;
}

Status OutputFile::open() {
  if (has_zero_byte(path_)) return zero_byte_error(path_);
  if (const int given = named_descriptor(path_); given >= 0) {
    std::fflush(stdout);
    descriptor_ = path_ == "-" ? given : ::fcntl(given, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (descriptor_ < 0) return file_error("written", path_);
    return {};
  }
  struct stat info {};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return Error{armature::quoted(path_) + " is a folder, not a file."};
  if (exists && !S_ISREG(info.st_mode)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor_ < 0) return file_error("written", path_);
    return {};
  }
  const Result<std::filesystem::path> target = behind_links(path_);
  if (!target) return target.error();
  target_ = target->string();
  mode_ = exists ? info.st_mode & 07777 : default_mode();
  const std::string prefix = "." + target->filename().string() + ".armature-";
  remove_stale(target->parent_path(), prefix);
  std::string temporary;
  descriptor_ = make_temporary(target->parent_path(), prefix, temporary);
  if (descriptor_ < 0) return file_error("written", path_);
  temporary_ = std::move(temporary);
  watch_signals(temporary_);
  return {};
}

Status OutputFile::write(std::string_view bytes) {
  if (!write_all(descriptor_, bytes)) return give_up();
  return {};
}

Status OutputFile::write_at(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t piece = std::min<std::size_t>(bytes.size(), 1u << 30);
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), piece, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return give_up();
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

Status OutputFile::commit() {
  if (temporary_.empty()) {
    close_and_forget();
    return {};
  }
  if (::fchmod(descriptor_, mode_) != 0 || ::fsync(descriptor_) != 0) return give_up();
  // What was put there meanwhile and is no regular file (a device, a pipe, a link) is nobody's to replace.
  struct stat info {};
  if (::lstat(target_.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    errno = EEXIST;
    return give_up();
  }
  // Renamed before it is closed, since the lock ends there. All of it is on the disk: closing cannot lose anything.
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return give_up();
  close_and_forget();
  // The new name itself survives a power cut only when the folder is on the disk too; not every file system can.
  const std::filesystem::path parent = std::filesystem::path(target_).parent_path();
  const FileHandle directory(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) ::fsync(directory.get());
  return {};
}

Status write_file_atomically(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  if (Status status = file.open(); !status) return status;
  if (Status status = file.write(bytes); !status) return status;
  return file.commit();
}

}  // namespace armature
