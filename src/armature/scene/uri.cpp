#include "armature/scene/uri.hpp"

#include "armature/base/suggest.hpp"
#include "armature/formats/base64.hpp"

namespace armature::inline v0_2 {
Result<std::string> path_of_uri(std::string_view uri) {
  const auto refused = [&](const char* why) {
    return Error{armature::detail::quoted(uri) + " " + why + "; a model may name only files in its own folder."};
  };
  if (uri.empty()) return Error{"An empty name names no file."};
  const std::size_t colon = uri.find(':');
  if (colon != std::string_view::npos && uri.substr(0, colon).find_first_of("/?#%") == std::string_view::npos) {
    return refused("is an address");
  }
  std::string path = decode_percent(uri);
  if (path.front() == '/') return refused("is an absolute path");
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return refused("holds a control character");
    if (c == '\\') return refused("holds a backslash");
  }
  return path;
}

std::string name_of_uri(std::string_view uri) {
  const std::string path = decode_percent(uri);
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace armature::inline v0_2
