// An HTTP/1.1 server, with TLS where it has a certificate. One thread moves bytes (coroutines); handlers are plain
// blocking functions on a bounded pool of workers, so that nobody above thinks about asynchrony. Everything is bounded:
// connections, headers, bodies, the queue to the workers, how long the other side may take for anything, and what a
// stream holds for a slow reader (one piece). Knows nothing of what it serves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/time.hpp"
#include "net/message.hpp"

namespace sickbay::net {

struct ServerOptions {
  std::string host = "127.0.0.1";        // an address or a name of this machine
  std::uint16_t port = 0;                // 0: any free one; see Server::port()
  std::string tls_certificate, tls_key;  // PEM files; both or none. TLS 1.2 or later, with session tickets

  unsigned workers = 4;            // threads that run handlers
  std::size_t queue = 256;         // requests waiting for a worker; beyond: 429
  std::size_t connections = 8192;  // and never more than the process may open files; beyond: 503
  std::size_t streams = 256;       // responses with a BodyStream; beyond: 429
  std::size_t header_bytes = 16 * 1024;
  std::size_t bodies_bytes = 256 * 1024 * 1024;  // of all requests being read or handled; beyond: 503
  // The largest body for a request, asked once its header is there. Default: 1 MiB for every one.
  std::function<std::size_t(std::string_view method, std::string_view target)> body_bytes;

  Duration header_timeout = seconds{10};  // from a request's first byte to the end of its header; also TLS handshakes
  Duration body_timeout = seconds{30};
  Duration write_timeout = seconds{30};      // of one response, or one piece of a stream
  Duration idle_timeout = seconds{180};      // between requests; agents come every 60 s
  Duration stream_poll = seconds{1};         // a stream without wake-ups is asked this often
  Duration stream_keep_alive = seconds{15};  // a silent stream sends its keep_alive()
  Duration stop_grace = seconds{5};          // what requests in progress get when the server stops
};

// Runs on worker threads, several at once. Must not throw; a std::exception is logged and answered with 500.
using Handler = std::function<Response(Request request)>;

struct ServerCounters {
  std::uint64_t requests = 0, refused = 0;     // refused: 4xx and 5xx given by the server itself, without a handler
  std::uint64_t connections = 0, streams = 0;  // now
};

class Server {
 public:
  // Listens and serves from now on. Errc::invalid or Errc::io says what is wrong with address or certificate.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Handler handler);
  ~Server();  // stops

  std::uint16_t port() const;
  // Asks every stream at once for more. Thread safe, cheap, never blocks.
  void wake_streams();
  ServerCounters counters() const;
  // No new connections; requests in progress finish within stop_grace; streams end. Returns when all is over.
  void stop();

  class Impl;

 private:
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sickbay::net
