// An HTTP/1.1 client for one server: one request at a time over one kept-alive connection, TLS with session resumption,
// bounded answers, a deadline for each request, no timer while idle. What the agent speaks to the server with.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "net/message.hpp"

namespace sickbay::net {

struct ServerUrl {
  bool tls = false;
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
  std::string path;       // prefix of every target; empty or "/..." without a final slash
  bool loopback = false;  // a loopback address, or "localhost"
};
// Reads http://HOST[:PORT][/PATH] or https://...; Errc::invalid says what is wrong.
Result<ServerUrl> parse_server_url(std::string_view text);

struct ClientOptions {
  std::string ca_file;                // PEM of the authorities to trust; empty: the system's
  bool insecure_http = false;         // allow plain http to other than loopback
  Duration deadline = seconds{20};    // for one request, connecting included
  std::size_t max_answer = 1U << 20;  // bytes of a body; more is Errc::too_large
};

struct Answer {
  unsigned status = 0;
  std::string body;
  std::string content_type;
  std::string etag;        // as it came, with its quotes
  Duration retry_after{};  // of the answer, at most an hour; 0: none
};

class Client {
 public:
  // Errc::refused for plain http to another machine, Errc::io for a CA file that cannot be read.
  static Result<std::unique_ptr<Client>> make(boost::asio::io_context& io, std::string_view url, ClientOptions options);
  ~Client();

  // Sends one request and returns the whole answer, whatever its status. A connection that turns out to have been
  // closed while idle is opened again once, so a request may arrive twice: only for requests that may be repeated.
  // Errors: unavailable (no connection), timeout (the deadline passed), too_large, invalid (not HTTP), refused
  // (certificate). The Client outlives the call; `close()` ends it early.
  boost::asio::awaitable<Result<Answer>> request(std::string_view verb, std::string target, std::string body,
                                                 std::string bearer, Headers headers = {});
  // Sends a GET and hands the pieces of a body that grows, such as server-sent events, to `on_bytes` as they come,
  // until it returns false, the server ends the stream, or nothing came for `silence` (Errc::timeout). The Answer has
  // no body where the status is 200; for another status it is what request() would give.
  boost::asio::awaitable<Result<Answer>> stream(std::string target, std::string bearer, Headers headers,
                                                Duration silence, std::function<bool(std::string_view)> on_bytes);
  void close();
  bool connected() const;
  std::uint64_t connections() const;  // opened so far
  std::uint64_t resumptions() const;  // of them, with a resumed TLS session

 private:
  struct Parts;
  explicit Client(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace sickbay::net
