// The sentence for a file that the system refuses, in words for people. Not installed.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "armature/base/result.hpp"
#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {

/// "The file 'x' cannot be opened: permission denied.", from errno.
inline Error file_error(const std::string& what, const std::string& path) {
  const int number = errno;
  std::string reason = std::strerror(number);
  if (number == ENOENT) reason = "there is no such file or folder";
  if (number == EACCES || number == EPERM) reason = "permission denied";
  if (number == ENOSPC) reason = "the disk is full";
  if (number == EEXIST) reason = "something else than a file has its name";
  if (number == ENXIO) reason = "it is a socket, not a file";
  return Error{"The file " + armature::detail::quoted(path) + " cannot be " + what + ": " + reason + "."};
}

/// The system would read such a name only up to its zero byte.
inline bool has_zero_byte(const std::string& path) { return path.find('\0') != std::string::npos; }
inline Error zero_byte_error(const std::string& path) {
  return Error{"The name " + armature::detail::quoted(path) + " has a zero byte."};
}

}  // namespace armature::inline v0_2
