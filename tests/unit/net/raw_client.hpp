// A client that sends exactly the bytes it is told, so that tests can be as rude as the Internet. Blocking, with a
// deadline on every call.
#pragma once

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace sickbay::net {

struct RawAnswer {
  int status = 0;  // 0: none came
  std::string head, body;
  // The value of a header field, "" where there is none.
  std::string field(std::string_view name) const {
    std::size_t at = 0;
    while ((at = head.find("\r\n", at)) != std::string::npos) {
      at += 2;
      if (head.size() > at + name.size() && strncasecmp(head.data() + at, name.data(), name.size()) == 0 &&
          head[at + name.size()] == ':') {
        const std::size_t end = head.find("\r\n", at);
        std::string value = head.substr(at + name.size() + 1, end - at - name.size() - 1);
        return value.substr(value.find_first_not_of(' '));
      }
    }
    return {};
  }
};

class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  RawClient(const RawClient&) = delete;
  ~RawClient() { ::close(socket_); }

  bool connected() const { return connected_; }
  // False: the other side took no more.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Waits at most so long for something to read.
  bool readable(std::chrono::milliseconds wait) {
    pollfd poll{socket_, POLLIN, 0};
    return ::poll(&poll, 1, static_cast<int>(wait.count())) == 1;
  }
  void half_close() { ::shutdown(socket_, SHUT_WR); }

  // Reads one answer with Content-Length (or none). Status 0 where the connection closed or 10 s passed first.
  RawAnswer answer() {
    RawAnswer answer;
    std::size_t end;
    while ((end = pending_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill()) return answer;
    }
    answer.head = pending_.substr(0, end + 2);
    pending_.erase(0, end + 4);
    answer.status = std::atoi(answer.head.substr(9, 3).c_str());
    const std::string length = answer.field("Content-Length");
    const std::size_t size = length.empty() ? 0 : std::stoul(length);
    while (pending_.size() < size) {
      if (!fill()) return {};
    }
    answer.body = pending_.substr(0, size);
    pending_.erase(0, size);
    return answer;
  }
  // Reads until `text` has come; everything read so far. "" where it never comes.
  std::string read_until(std::string_view text) {
    std::size_t at;
    while ((at = pending_.find(text)) == std::string::npos) {
      if (!fill()) return {};
    }
    std::string read = pending_.substr(0, at + text.size());
    pending_.erase(0, at + text.size());
    return read;
  }
  // True when the other side closes within 10 s; what it still sends is dropped.
  bool closed() {
    while (fill()) {
    }
    return eof_;
  }

 private:
  bool fill() {
    pollfd poll{socket_, POLLIN, 0};
    if (::poll(&poll, 1, 10'000) != 1) return false;
    char buffer[4096];
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) {
      eof_ = true;
      return false;
    }
    pending_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  int socket_;
  bool connected_ = false, eof_ = false;
  std::string pending_;
};

// A whole request in one go.
inline std::string raw_request(std::string_view method, std::string_view target, std::string_view body = {},
                               std::string_view more_headers = {}) {
  return fmt::format("{} {} HTTP/1.1\r\nHost: test\r\n{}Content-Length: {}\r\n\r\n{}", method, target, more_headers,
                     body.size(), body);
}

}  // namespace sickbay::net
