// One connection's life: wait, read a request within its bounds, have a worker answer it, write the answer, again.
// Whatever the other side does wrong gets an answer where one can still be sent, and then the connection closes.
//
// Arguments of awaited coroutines are named objects here, never temporaries, and no condition awaits: g++ 12 makes
// wrong code of both.
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <type_traits>

#include "base/log.hpp"
#include "net/server_impl.hpp"

namespace sickbay::net {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kDefaultBody = 1024 * 1024;
constexpr std::size_t kReadAhead = 64 * 1024;      // of the buffer, beyond the longest header
constexpr std::size_t kLingerBytes = 1024 * 1024;  // read and dropped so that the other side sees our answer
constexpr Duration kLinger = seconds{2};

// Cancels the socket's operations when a phase lasts too long, and goes on doing so until the next phase: between two
// steps of a composed operation there may be nothing to cancel.
class Deadline {
 public:
  Deadline(asio::io_context& io, tcp::socket& socket) : state_(std::make_shared<State>(io, &socket)) {}
  Deadline(const Deadline&) = delete;
  ~Deadline() {
    state_->socket = nullptr;
    state_->timer.cancel();
  }
  void arm(Duration after) {
    ++state_->phase;
    state_->expired = false;
    wait(state_, after);
  }
  void disarm() {
    ++state_->phase;
    state_->timer.cancel();
  }
  bool expired() const { return state_->expired; }

 private:
  // Shared with the timer's handler, which may already be on its way when the connection ends.
  struct State {
    State(asio::io_context& io, tcp::socket* s) : timer(io), socket(s) {}
    asio::steady_timer timer;
    tcp::socket* socket;
    std::uint64_t phase = 0;
    bool expired = false;
  };
  static void wait(const std::shared_ptr<State>& state, Duration after) {
    state->timer.expires_after(after);
    state->timer.async_wait([state, phase = state->phase](error_code) {
      if (!state->socket || state->phase != phase) return;
      state->expired = true;
      error_code ignored;
      state->socket->cancel(ignored);
      wait(state, milliseconds{100});
    });
  }
  std::shared_ptr<State> state_;
};

// Adds to a counter for as long as it lives.
template <class Counter>
class Share {
 public:
  Share(Counter& counter, std::size_t amount) : counter_(counter), amount_(amount) { counter_ += amount_; }
  Share(const Share&) = delete;
  ~Share() { counter_ -= amount_; }

 private:
  Counter& counter_;
  std::size_t amount_;
};

asio::awaitable<Response> call(const Handler& handler, Request request) {
  std::string what;
  try {
    co_return handler(std::move(request));
  } catch (const std::exception& error) {
    what = error.what();
  }
  log::error("a request failed by an internal error: {}", what);
  co_return plain_problem(500, "a fault of the server; its log says more");
}

asio::awaitable<std::optional<std::string>> more_of(BodyStream& stream) {
  std::string what;
  try {
    co_return stream.more();
  } catch (const std::exception& error) {
    what = error.what();
  }
  log::error("a stream ended by an internal error: {}", what);
  co_return std::nullopt;
}

std::string field_value(std::string value) {
  for (char& c : value) c = c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
  return value;
}

template <class Stream>
class Connection {
 public:
  Connection(Server::Impl& server, Stream& stream)
      : server_(server),
        stream_(stream),
        deadline_(server.io, lowest()),
        buffer_(server.options.header_bytes + kReadAhead) {
    error_code ignored;
    peer_ = lowest().remote_endpoint(ignored).address().to_string();
  }

  asio::awaitable<void> run() {
    if constexpr (kTls) {
      deadline_.arm(server_.options.header_timeout);
      auto [error] = co_await stream_.async_handshake(asio::ssl::stream_base::server, kAsTuple);
      if (error) co_return;
    }
    for (bool more = true; more;) more = co_await one_request();
    if (answered_) co_await linger();
  }

 private:
  using Parser = http::request_parser<http::string_body>;
  static constexpr bool kTls = !std::is_same_v<Stream, tcp::socket>;

  tcp::socket& lowest() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  // False: the connection is to close.
  asio::awaitable<bool> one_request() {
    if (buffer_.size() == 0) {
      const bool came = co_await first_bytes();
      if (!came) co_return false;
    }
    Parser parser;
    parser.header_limit(static_cast<std::uint32_t>(server_.options.header_bytes));
    parser.body_limit(boost::none);  // decided below, once it is known what the request is for
    deadline_.arm(server_.options.header_timeout);
    auto [error, ignored] = co_await http::async_read_header(stream_, buffer_, parser, kAsTuple);
    if (error) co_return co_await broken(error);
    const auto& head = parser.get();
    if (head.version() >= 11 && head.count(http::field::host) != 1) {
      co_return co_await refuse(400, "a request needs exactly one Host header");
    }

    const std::size_t limit =
        server_.options.body_bytes ? server_.options.body_bytes(head.method_string(), head.target()) : kDefaultBody;
    const std::uint64_t length = parser.content_length().value_or(parser.chunked() ? limit : 0);
    if (length > limit) co_return co_await refuse(413, "the body is longer than allowed here");
    if (server_.bodies + length > server_.options.bodies_bytes) {
      co_return co_await refuse(503, "too many large requests at once; try again in a second");
    }
    const Share<std::size_t> body(server_.bodies, length);
    parser.body_limit(limit);
    const error_code failed = co_await read_body(parser);
    if (failed) co_return co_await broken(failed);
    auto message = parser.release();
    co_return co_await answer(std::move(message));
  }

  asio::awaitable<bool> first_bytes() {
    constexpr std::size_t kFirst = 4096;
    if (buffer_.capacity() > 2 * kFirst) buffer_.shrink_to_fit();
    if (server_.stopping) co_return false;
    server_.idle.insert(&lowest());
    deadline_.arm(server_.options.idle_timeout);
    auto [error, bytes] = co_await stream_.async_read_some(buffer_.prepare(kFirst), kAsTuple);
    server_.idle.erase(&lowest());
    if (error) co_return false;
    buffer_.commit(bytes);
    co_return true;
  }

  asio::awaitable<error_code> read_body(Parser& parser) {
    deadline_.arm(server_.options.body_timeout);
    if (boost::beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      auto [error, ignored] = co_await asio::async_write(stream_, asio::buffer(kContinue), kAsTuple);
      if (error) co_return error;
    }
    auto [error, ignored] = co_await http::async_read(stream_, buffer_, parser, kAsTuple);
    co_return error;
  }

  // What is said to a request that cannot be read to its end.
  asio::awaitable<bool> broken(error_code error) {
    if (deadline_.expired()) co_return co_await refuse(408, "the request did not arrive whole in time");
    if (error == http::error::end_of_stream) co_return false;
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      co_return co_await refuse(431, "the header is longer than allowed");
    }
    if (error == http::error::body_limit) co_return co_await refuse(413, "the body is longer than allowed here");
    if (error == http::error::partial_message) co_return co_await refuse(400, "the request broke off before its end");
    if (error.category() == http::make_error_code(http::error::end_of_stream).category()) {
      const std::string detail = "not a valid HTTP request: " + error.message();
      co_return co_await refuse(400, detail);
    }
    co_return false;  // the connection itself is gone
  }

  asio::awaitable<bool> refuse(int status, std::string_view detail) {
    ++server_.refused;
    Response response = plain_problem(status, detail);
    if (status == 503) response.headers.emplace_back("Retry-After", "1");
    co_return co_await write(std::move(response), 11, false, false);
  }

  asio::awaitable<bool> answer(http::request<http::string_body> message) {
    ++server_.requests;
    const bool keep = message.keep_alive() && !server_.stopping;
    const bool head = message.method() == http::verb::head;
    const unsigned version = message.version();
    Request request;
    request.method = head ? "GET" : std::string(message.method_string());
    request.target = std::string(message.target());
    for (const auto& field : message) request.headers.emplace_back(field.name_string(), field.value());
    request.body = std::move(message.body());
    request.peer = peer_;

    Response response;
    if (server_.queued >= server_.options.queue + server_.options.workers) {
      ++server_.refused;
      response = plain_problem(429, "the server has more to do than it can; try again in a second");
      response.headers.emplace_back("Retry-After", "1");
    } else {
      const Share<std::atomic<std::size_t>> place(server_.queued, 1);
      deadline_.disarm();
      auto work = call(server_.handler, std::move(request));
      response = co_await asio::co_spawn(server_.pool, std::move(work), asio::use_awaitable);
    }
    if (!response.stream) co_return co_await write(std::move(response), version, keep && !server_.stopping, head);
    if (head || version < 11) co_return co_await refuse(400, "a stream needs GET and HTTP/1.1");
    if (server_.streams >= server_.options.streams) co_return co_await refuse(429, "too many streams are open");
    co_return co_await write_stream(std::move(response));
  }

  asio::awaitable<bool> write(Response response, unsigned version, bool keep, bool head) {
    http::response<http::string_body> message(static_cast<http::status>(response.status), version);
    for (auto& [name, value] : response.headers) message.insert(name, field_value(std::move(value)));
    message.keep_alive(keep);
    message.body() = std::move(response.body);
    message.prepare_payload();
    if (head) message.body().clear();
    deadline_.arm(server_.options.write_timeout);
    auto [error, ignored] = co_await http::async_write(stream_, message, kAsTuple);
    answered_ = !error;
    co_return !error && keep;
  }

  asio::awaitable<bool> write_stream(Response response) {
    const Share<std::atomic<std::uint64_t>> share(server_.streams, 1);
    http::response<http::empty_body> head(static_cast<http::status>(response.status), 11);
    for (auto& [name, value] : response.headers) head.insert(name, field_value(std::move(value)));
    head.chunked(true);
    head.keep_alive(false);
    http::response_serializer<http::empty_body> serializer(head);
    deadline_.arm(server_.options.write_timeout);
    auto [error, ignored] = co_await http::async_write_header(stream_, serializer, kAsTuple);
    if (error) co_return false;

    auto silent_since = asio::steady_timer::clock_type::now();
    while (!server_.stopping) {
      const std::uint64_t seen = server_.wakes;
      deadline_.disarm();
      auto work = more_of(*response.stream);
      std::optional<std::string> piece = co_await asio::co_spawn(server_.pool, std::move(work), asio::use_awaitable);
      if (!piece) break;
      const auto now = asio::steady_timer::clock_type::now();
      if (piece->empty() && now - silent_since >= server_.options.stream_keep_alive)
        *piece = response.stream->keep_alive();
      if (!piece->empty()) {
        silent_since = now;
        const bool written = co_await write_piece(*piece);
        if (!written) co_return false;
      } else if (server_.wakes == seen && !server_.stopping) {
        co_await wait_for_wake();
      }
    }
    deadline_.arm(server_.options.write_timeout);
    auto [failed, bytes] = co_await asio::async_write(stream_, http::make_chunk_last(), kAsTuple);
    answered_ = !failed;
    co_return false;
  }

  asio::awaitable<bool> write_piece(const std::string& piece) {
    deadline_.arm(server_.options.write_timeout);  // a slow reader is dropped, not buffered for
    auto [error, ignored] = co_await asio::async_write(stream_, http::make_chunk(asio::buffer(piece)), kAsTuple);
    co_return !error;
  }

  asio::awaitable<void> wait_for_wake() {
    asio::steady_timer timer(server_.io, server_.options.stream_poll);
    server_.waiting.insert(&timer);
    co_await timer.async_wait(kAsTuple);
    server_.waiting.erase(&timer);
  }

  // Closing while the other side still sends would reset the connection, and our answer could be lost with it.
  asio::awaitable<void> linger() {
    deadline_.arm(kLinger);
    if constexpr (kTls) co_await stream_.async_shutdown(kAsTuple);
    error_code error;
    lowest().shutdown(tcp::socket::shutdown_send, error);
    std::string drop(16 * 1024, '\0');
    for (std::size_t dropped = 0; !error && dropped < kLingerBytes && !server_.stopping && !deadline_.expired();) {
      auto [failed, bytes] = co_await lowest().async_read_some(asio::buffer(drop), kAsTuple);
      error = failed;
      dropped += bytes;
    }
  }

  Server::Impl& server_;
  Stream& stream_;
  Deadline deadline_;
  boost::beast::flat_buffer buffer_;
  std::string peer_;
  bool answered_ = false;  // the last thing that happened is that an answer went out whole
};

}  // namespace

asio::awaitable<void> Server::Impl::serve(tcp::socket socket) {
  if (tls) {
    asio::ssl::stream<tcp::socket> stream(std::move(socket), *tls);
    Connection connection(*this, stream);
    co_await connection.run();
  } else {
    Connection connection(*this, socket);
    co_await connection.run();
  }
}

}  // namespace sickbay::net
