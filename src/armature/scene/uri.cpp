#include "armature/scene/uri.hpp"

#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {
namespace {

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A "%" that begins no escape stands for itself: file names hold it.
std::string decoded(std::string_view uri) {
  std::string text;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '%' && i + 2 < uri.size() && hex(uri[i + 1]) >= 0 && hex(uri[i + 2]) >= 0) {
      text += static_cast<char>(hex(uri[i + 1]) * 16 + hex(uri[i + 2]));
      i += 2;
    } else {
      text += uri[i];
    }
  }
  return text;
}

}  // namespace

Result<std::string> path_of_uri(std::string_view uri) {
  const auto refused = [&](const char* why) {
    return Error{armature::detail::quoted(uri) + " " + why + "; a model may name only files in its own folder."};
  };
  if (uri.empty()) return Error{"An empty name names no file."};
  const std::size_t colon = uri.find(':');
  if (colon != std::string_view::npos && uri.substr(0, colon).find_first_of("/?#%") == std::string_view::npos) {
    return refused("is an address");
  }
  std::string path = decoded(uri);
  if (path.front() == '/') return refused("is an absolute path");
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return refused("holds a control character");
    if (c == '\\') return refused("holds a backslash");
  }
  return path;
}

std::string name_of_uri(std::string_view uri) {
  const std::string path = decoded(uri);
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace armature::inline v0_2
