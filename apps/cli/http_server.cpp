#include "http_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <vector>

namespace armature::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr std::size_t kMost = 256;
constexpr std::size_t kPiece = 1u << 16;
constexpr seconds kForRequest{10};  // from its first byte, or from connecting, to its last
constexpr seconds kForPiece{30};    // to take kPiece bytes of an answer
constexpr seconds kIdle{60};        // between two requests
constexpr seconds kLinger{2};       // for a refused client to stop talking

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "HTTP Version Not Supported";
  }
}

// Revalidated on each load: a rebuilt page is never mistaken for the old one. Isolated from other pages, browsers give
// this one a clock of 5 us instead of 100, so the time of a solve can be shown.
std::string head_of(const HttpAnswer& answer, std::size_t size, bool keep_open) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, reason_of(answer.status));
  if (answer.status == 405) head += "Allow: GET, HEAD\r\n";
  head += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n", answer.type, size,
                      keep_open ? "keep-alive" : "close");
  head +=
      "Cache-Control: no-cache\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n"
      "Cross-Origin-Embedder-Policy: require-corp\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' "
      "'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self' data: blob:; worker-src "
      "'self'; "
      "base-uri 'none'; form-action 'none'";
  if (!answer.may_frame) head += "; frame-ancestors 'none'\r\nX-Frame-Options: DENY";
  return head + "\r\n\r\n";
}

// One client. After each poll() it does what it can without waiting, and says when it must have got further.
class Connection {
 public:
  Connection(int socket, int port) : socket_(socket), port_(port), deadline_(Clock::now() + kForRequest) {}

  int socket() const { return socket_.get(); }
  bool answering() const { return at_ == At::answer; }
  bool over(Clock::time_point now) const { return at_ == At::end || now > deadline_; }
  short wants() const { return answering() ? POLLOUT : POLLIN; }

  void go_on(const HttpServer::Handler& handler) {
    if (answering()) {
      send_piece();
    } else {
      receive();
    }
    while (at_ == At::request && !in_.empty() && answer(handler)) {
      // Several requests may have come at once.
    }
  }

 private:
  enum class At { request, answer, linger, end };

  void move_to(At at, seconds time) {
    at_ = at;
    deadline_ = Clock::now() + time;
  }

  void receive() {
    char bytes[8192];
    const ssize_t got = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) at_ = At::end;
    if (at_ != At::request) return;
    if (in_.empty()) deadline_ = Clock::now() + kForRequest;
    in_.append(bytes, static_cast<std::size_t>(got));
  }

  // False: the request is not whole yet.
  bool answer(const HttpServer::Handler& handler) {
    const HttpParse parse = parse_http_request(in_, port_);
    if (parse.size == 0) return false;
    in_.erase(0, parse.size);
    HttpAnswer answer;
    answer.status = parse.status;
    if (parse.status == 200) answer = handler(parse.request);
    if (answer.status != 200) answer.body = fmt::format("{} {}\n", answer.status, reason_of(answer.status));
    close_after_ = parse.status != 200 || !parse.request.keep_open;
    const bool from_file = answer.status == 200 && answer.file.handle.get() >= 0;
    out_ = head_of(answer, from_file ? answer.file.size : answer.body.size(), !close_after_);
    if (!parse.request.head) out_ += answer.body;
    file_ = std::move(answer.file);
    file_left_ = from_file && !parse.request.head ? file_.size : 0;
    sent_ = 0;
    move_to(At::answer, kForPiece);
    send_piece();
    return true;
  }

  void send_piece() {
    if (sent_ == out_.size() && file_left_ > 0) {
      out_.resize(std::min(kPiece, file_left_));
      sent_ = 0;
      const ssize_t got = ::read(file_.handle.get(), out_.data(), out_.size());
      if (got <= 0) {  // it has shrunk; the promised length cannot be kept
        at_ = At::end;
        return;
      }
      out_.resize(static_cast<std::size_t>(got));
      file_left_ -= static_cast<std::size_t>(got);
      deadline_ = Clock::now() + kForPiece;
    }
    const ssize_t sent = ::send(socket_.get(), out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno != EAGAIN && errno != EINTR) at_ = At::end;
      return;
    }
    sent_ += static_cast<std::size_t>(sent);
    if (sent_ < out_.size() || file_left_ > 0) return;
    if (!close_after_) return move_to(At::request, in_.empty() ? kIdle : kForRequest);
    // Closed at once, unread bytes of a refused body would take the answer with them.
    ::shutdown(socket_.get(), SHUT_WR);
    move_to(At::linger, kLinger);
  }

  FileHandle socket_;
  int port_;
  At at_ = At::request;
  Clock::time_point deadline_;
  std::string in_, out_;
  std::size_t sent_ = 0;
  OpenFile file_;
  std::size_t file_left_ = 0;
  bool close_after_ = false;
};

// A connection may need a descriptor for its file too, and a few are in use.
std::size_t most_connections() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  return static_cast<std::size_t>(
      std::clamp<rlim_t>((limit.rlim_cur - std::min<rlim_t>(limit.rlim_cur, 12)) / 2, 1, kMost));
}

// The client that has waited longest without asking for anything goes, else the first.
void drop_one(std::list<Connection>& connections) {
  if (connections.empty()) return;
  auto idle = std::find_if(connections.begin(), connections.end(), [](const Connection& c) { return !c.answering(); });
  connections.erase(idle == connections.end() ? connections.begin() : idle);
}

}  // namespace

Status HttpServer::listen(int port) {
  socket_ = FileHandle(::socket(AF_INET, SOCK_STREAM, 0));
  const int on = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool listens = socket_.get() >= 0 && ::fcntl(socket_.get(), F_SETFD, FD_CLOEXEC) == 0 &&
                       ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK) == 0 &&
                       ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                       ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                       ::listen(socket_.get(), 256) == 0 &&
                       ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0;
  if (!listens) return Error{fmt::format("Port {} on 127.0.0.1 cannot be had.", port)};
  port_ = ntohs(address.sin_port);
  return {};
}

void HttpServer::run(const Handler& handler, const volatile std::sig_atomic_t& end) {
  std::list<Connection> connections;  // in the order they came
  std::vector<pollfd> waiting;
  while (end == 0) {
    waiting.assign(1, {socket_.get(), POLLIN, 0});
    for (const Connection& c : connections) waiting.push_back({c.socket(), c.wants(), 0});
    ::poll(waiting.data(), waiting.size(), 500);  // a signal may come just before it: look again soon
    auto ready = waiting.begin() + 1;
    const Clock::time_point now = Clock::now();
    for (auto c = connections.begin(); c != connections.end(); ++ready) {
      if (ready->revents != 0) c->go_on(handler);
      c = c->over(now) ? connections.erase(c) : std::next(c);
    }
    if (waiting.front().revents == 0) continue;
    for (int k = 0; k < 64; ++k) {
      const int socket = ::accept(socket_.get(), nullptr, nullptr);
      if (socket < 0) {
        if (errno == EMFILE || errno == ENFILE) drop_one(connections);
        break;
      }
      ::fcntl(socket, F_SETFD, FD_CLOEXEC);
      ::fcntl(socket, F_SETFL, O_NONBLOCK);
      while (connections.size() >= most_connections()) drop_one(connections);
      connections.emplace_back(socket, port_);
    }
  }
}

}  // namespace armature::cli
