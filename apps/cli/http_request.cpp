#include "http_request.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace armature::cli {
namespace {

constexpr std::size_t kLongestLine = 8192;
constexpr std::size_t kLongestHead = 16384;
constexpr int kMostHeaders = 100;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || (c != 0 && std::strchr("!#$%&'*+-.^_`|~", c) != nullptr);
  });
}

bool own_host(std::string_view host, int port) {
  const std::string ending = ":" + std::to_string(port);
  for (const char* name : {"127.0.0.1", "localhost", "[::1]"}) {
    if (host == name + ending || (port == 80 && host == name)) return true;
  }
  return false;
}

bool own_origin(std::string_view origin, int port) {
  constexpr std::string_view kScheme = "http://";
  return origin.substr(0, kScheme.size()) == kScheme && own_host(origin.substr(kScheme.size()), port);
}

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool decode_path(std::string_view text, std::string& path) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || hex(text[i + 1]) < 0 || hex(text[i + 2]) < 0) return false;
      c = static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\') return false;
    path += c;
  }
  for (std::size_t at = 0; at < path.size();) {  // browsers take "." and ".." out themselves
    const std::size_t end = std::min(path.find('/', at + 1), path.size());
    const std::string_view part = std::string_view(path).substr(at + 1, end - at - 1);
    if (part == "." || part == "..") return false;
    at = end;
  }
  return true;
}

// "GET /path?query HTTP/1.1"; the status.
int read_request_line(std::string_view line, HttpRequest& request) {
  if (line.size() > kLongestLine) return 414;
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return 400;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method)) return 400;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return version.substr(0, 5) == "HTTP/" ? 505 : 400;
  request.keep_open = version == "HTTP/1.1";
  if (method != "GET" && method != "HEAD") return 405;
  request.head = method == "HEAD";
  const bool plain = std::all_of(target.begin(), target.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f; });
  if (!plain || target.empty() || target.front() != '/' || target.find('#') != std::string_view::npos) return 400;
  const std::size_t question = std::min(target.find('?'), target.size());
  if (question < target.size()) request.query = target.substr(question + 1);
  return decode_path(target.substr(0, question), request.path) ? 200 : 400;
}

class Headers {
 public:
  Headers(int port, HttpRequest& request) : port_(port), request_(request) {}

  int read(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (++count_ > kMostHeaders) return 431;
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return 400;
    const std::string name = lower(line.substr(0, colon));
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
    for (const unsigned char c : value) {
      if (c != '\t' && (c < 0x20 || c == 0x7f)) return 400;
    }
    if (name == "host") {
      if (++hosts_ > 1) return 400;
      own_ = own_host(lower(value), port_);
    }
    if (name == "transfer-encoding" || (name == "content-length" && value != "0")) return 413;
    if (name == "connection") {
      if (lower(value).find("close") != std::string::npos) request_.keep_open = false;
    }
    if (name == "origin" && !own_origin(lower(value), port_)) foreign_ = true;
    if (name == "sec-fetch-site") elsewhere_ = value == "cross-site" || value == "same-site";
    if (name == "sec-fetch-mode") navigates_ = value == "navigate";
    return 200;
  }

  int verdict() const {
    if (hosts_ == 0) return 400;
    if (!own_) return 421;
    return foreign_ || (elsewhere_ && !navigates_) ? 403 : 200;
  }

 private:
  int port_;
  HttpRequest& request_;
  int count_ = 0;
  int hosts_ = 0;
  bool own_ = false;
  bool foreign_ = false;    // a script of another origin asks
  bool elsewhere_ = false;  // another page asks; "same-site" may be another server on this machine
  bool navigates_ = false;  // by a link
};

}  // namespace

HttpParse parse_http_request(std::string_view bytes, int port) {
  HttpParse parse;
  const std::size_t end = bytes.substr(0, kLongestHead).find("\r\n\r\n");
  if (end == std::string_view::npos) {
    const std::size_t line = bytes.find("\r\n");
    if (std::min(line, bytes.size()) > kLongestLine) {
      parse.status = 414;
    } else if (bytes.size() >= kLongestHead) {
      parse.status = 431;
    }
    if (parse.status != 200) parse.size = bytes.size();
    return parse;
  }
  parse.size = end + 4;
  std::string_view head = bytes.substr(0, end);
  Headers headers(port, parse.request);
  for (bool first = true; parse.status == 200; first = false) {
    const std::size_t line = std::min(head.find("\r\n"), head.size());
    parse.status = first ? read_request_line(head.substr(0, line), parse.request) : headers.read(head.substr(0, line));
    if (line == head.size()) break;
    head.remove_prefix(line + 2);
  }
  if (parse.status == 200) parse.status = headers.verdict();
  return parse;
}

}  // namespace armature::cli
