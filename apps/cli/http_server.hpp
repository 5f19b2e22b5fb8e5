// A small server of files for the studio's page: one thread, poll(), this machine only. It never waits for anybody:
// slow and idle clients have deadlines, and when too many are connected the one that has been idle longest goes. The
// reasons for not using a library: docs/decisions/server.md.
#pragma once

#include <csignal>
#include <functional>
#include <string>

#include "armature/base/result.hpp"
#include "armature/scene/files.hpp"
#include "http_request.hpp"

namespace armature::cli {

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain";
  std::string body;
  OpenFile file;           // sent instead of the body where it is open
  bool may_frame = false;  // other pages may show it in a frame
};

class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest&)>;

  /// On 127.0.0.1; port 0 takes a free one.
  Status listen(int port);
  int port() const { return port_; }

  /// Answers until `end` is set (by a signal).
  void run(const Handler& handler, const volatile std::sig_atomic_t& end);

 private:
  FileHandle socket_;
  int port_ = 0;
};

}  // namespace armature::cli
