// Requests of a browser to the studio's server, read strictly: what is not plainly a request for a file is refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace armature::cli {

struct HttpRequest {
  std::string path;   // decoded once, begins with "/", without "." and ".." parts
  std::string query;  // as it stands, without "?"
  bool head = false;  // only the head of the answer is wanted
  bool keep_open = true;
};

struct HttpParse {
  std::size_t size = 0;  // bytes of the whole request; 0: more are needed
  int status = 200;      // else the refusal
  HttpRequest request;
};

/// Limits: a line of 8 kB, a head of 16 kB, 100 headers, no body. Host must be this machine's own name with `port`, so
/// that a page whose address was turned to 127.0.0.1 (DNS rebinding) gets nothing; a request that another page's script
/// makes is refused as well.
HttpParse parse_http_request(std::string_view bytes, int port);

}  // namespace armature::cli
