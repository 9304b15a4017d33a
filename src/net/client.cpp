#include "net/client.hpp"

#include <fmt/core.h>
#include <openssl/err.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <optional>

#include "base/text.hpp"

namespace sickbay::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

struct FreeSession {
  void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
};

// Where Client::Parts hangs on the SSL_CTX, for the callback that brings new sessions. Asio uses the default slot.
int parts_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

Error explain(error_code error, const ServerUrl& url, std::string_view doing) {
  const std::string where = fmt::format("{}:{}", url.host, url.port);
  if (error == beast::error::timeout) {
    return {Errc::timeout,
            fmt::format("{} {} took too long; the server may be overloaded or unreachable", doing, where)};
  }
  if (error == http::error::body_limit || error == http::error::header_limit || error == http::error::buffer_overflow) {
    return {Errc::too_large, fmt::format("the answer of {} is larger than we take", where)};
  }
  if (error == http::error::end_of_stream || error == http::error::partial_message || error == asio::error::eof) {
    return {Errc::unavailable, fmt::format("{} closed the connection before the answer was whole", where)};
  }
  if (error.category() == http::make_error_code(http::error::bad_version).category()) {
    return {Errc::invalid,
            fmt::format("{} does not answer in HTTP ({}); is it a Sickbay server?", where, error.message())};
  }
  if (error.category() == asio::error::get_ssl_category()) {
    return {Errc::refused, fmt::format("the TLS connection to {} failed: {}; check the server's certificate and the CA "
                                       "file",
                                       where, error.message())};
  }
  return {Errc::unavailable, fmt::format("{} {} failed: {}", doing, where, error.message())};
}

}  // namespace

struct Client::Parts {
  Parts(asio::io_context& context, ServerUrl server, ClientOptions given)
      : io(context), url(std::move(server)), options(std::move(given)) {}
  ~Parts() { drop(); }

  // Closes without the TLS farewell, yet so that OpenSSL keeps the session for the next connection.
  void drop() {
    if (tls) {
      SSL_set_shutdown(tls->native_handle(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
      tls->next_layer().close();
    }
    if (plain) plain->close();
    open = false;
  }

  bool open = false;
  bool busy = false;
  asio::io_context& io;
  ServerUrl url;
  ClientOptions options;
  std::optional<asio::ssl::context> context;  // with https only: OpenSSL's share of memory is not small
  std::optional<beast::tcp_stream> plain;
  std::optional<beast::ssl_stream<beast::tcp_stream>> tls;
  std::unique_ptr<SSL_SESSION, FreeSession> session;
  std::uint64_t connections = 0, resumptions = 0;

  Status set_up_tls();
  asio::awaitable<error_code> connect();
  asio::awaitable<error_code> handshake();
  template <class Stream>
  asio::awaitable<Result<Answer>> exchange(Stream& stream, http::request<http::string_body>& request, bool& repeatable);
  http::request<http::string_body> compose(std::string_view verb, const std::string& target, std::string body,
                                           const std::string& bearer, const Headers& headers) const;
  template <class Stream>
  asio::awaitable<Result<Answer>> follow(Stream& stream, http::request<http::string_body>& request, Duration silence,
                                         const std::function<bool(std::string_view)>& on_bytes);
};

namespace {

int keep_session(SSL* ssl, SSL_SESSION* session) {
  auto* slot =
      static_cast<std::unique_ptr<SSL_SESSION, FreeSession>*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), parts_index()));
  slot->reset(session);
  return 1;  // the reference is ours now
}

}  // namespace

Status Client::Parts::set_up_tls() {
  error_code error;
  context.emplace(asio::ssl::context::tls_client);
  context->set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
  if (options.ca_file.empty()) {
    context->set_default_verify_paths(error);
  } else {
    context->load_verify_file(options.ca_file, error);
  }
  if (error) {
    return fail(Errc::io, fmt::format("the CA file '{}' cannot be used: {}; it must hold certificates in PEM form",
                                      options.ca_file, error.message()));
  }
  context->set_verify_mode(asio::ssl::verify_peer);
  context->set_verify_callback(asio::ssl::host_name_verification(url.host));
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_set_ex_data(native, parts_index(), &session);
  SSL_CTX_sess_set_new_cb(native, keep_session);
  return {};
}

asio::awaitable<error_code> Client::Parts::handshake() {
  boost::system::error_code ignored;
  asio::ip::make_address(url.host, ignored);
  if (ignored) SSL_set_tlsext_host_name(tls->native_handle(), url.host.c_str());  // names only: RFC 6066
  if (session) SSL_set_session(tls->native_handle(), session.get());
  auto [error] = co_await tls->async_handshake(asio::ssl::stream_base::client, kTuple);
  if (!error && SSL_session_reused(tls->native_handle())) ++resumptions;
  if (error) session.reset();
  co_return error;
}

asio::awaitable<error_code> Client::Parts::connect() {
  drop();
  plain.reset();
  tls.reset();
  beast::tcp_stream* lowest = nullptr;
  if (url.tls) {
    tls.emplace(io, *context);
    lowest = &tls->next_layer();
  } else {
    plain.emplace(io);
    lowest = &*plain;
  }
  error_code error;
  const auto address = asio::ip::make_address(url.host, error);
  if (!error) {
    const auto port = static_cast<std::uint16_t>(*parse_uint(url.port));
    lowest->expires_after(options.deadline);
    auto [failed] = co_await lowest->async_connect(tcp::endpoint(address, port), kTuple);
    error = failed;
  } else {  // a name: asio's resolver starts a thread of its own at the first one
    tcp::resolver resolver(io);
    auto [unresolved, endpoints] = co_await resolver.async_resolve(url.host, url.port, kTuple);
    error = unresolved;
    if (!error) {
      lowest->expires_after(options.deadline);
      auto [failed, endpoint] = co_await lowest->async_connect(endpoints, kTuple);
      error = failed;
    }
  }
  if (!error) lowest->socket().set_option(tcp::no_delay(true), error);
  if (!error && url.tls) error = co_await handshake();
  if (!error) {
    open = true;
    ++connections;
  }
  co_return error;
}

template <class Stream>
asio::awaitable<Result<Answer>> Client::Parts::exchange(Stream& stream, http::request<http::string_body>& request,
                                                        bool& repeatable) {
  beast::tcp_stream& lowest = beast::get_lowest_layer(stream);
  lowest.expires_after(options.deadline);
  auto [unsent, sent] = co_await http::async_write(stream, request, kTuple);
  if (unsent) {
    drop();
    repeatable = unsent != beast::error::timeout;
    co_return tl::unexpected(explain(unsent, url, "sending to"));
  }
  beast::flat_buffer buffer(64U << 10);  // also bounds the header
  http::response_parser<http::string_body> parser;
  parser.body_limit(options.max_answer);
  auto [unread, count] = co_await http::async_read(stream, buffer, parser, kTuple);
  if (unread) {
    drop();
    repeatable = !parser.got_some() && unread != beast::error::timeout;
    co_return tl::unexpected(explain(unread, url, "reading from"));
  }
  lowest.expires_never();
  auto& message = parser.get();
  if (!message.keep_alive()) drop();
  Answer answer{message.result_int(),
                std::move(message.body()),
                std::string(message[http::field::content_type]),
                std::string(message[http::field::etag]),
                {}};
  if (const auto after = parse_uint(trim(std::string_view(message[http::field::retry_after]))); after) {
    answer.retry_after = std::min<Duration>(seconds{std::min<std::uint64_t>(*after, 3600)}, hours{1});
  }
  co_return answer;
}

Client::Client(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Client::~Client() = default;

Result<std::unique_ptr<Client>> Client::make(asio::io_context& io, std::string_view text, ClientOptions options) {
  SICKBAY_ASSIGN(ServerUrl url, parse_server_url(text));
  if (!url.tls && !url.loopback && !options.insecure_http) {
    return fail(Errc::refused, fmt::format("http to {} would show the credential to everyone on the way; use https, or "
                                           "say --insecure-http where the network is yours",
                                           url.host));
  }
  auto parts = std::make_unique<Parts>(io, std::move(url), std::move(options));
  if (parts->url.tls) SICKBAY_CHECK(parts->set_up_tls());
  return std::unique_ptr<Client>(new Client(std::move(parts)));
}

http::request<http::string_body> Client::Parts::compose(std::string_view verb, const std::string& target,
                                                        std::string body, const std::string& bearer,
                                                        const Headers& headers) const {
  http::request<http::string_body> request;
  request.method_string(verb);
  request.target(url.path + target);
  request.version(11);
  const bool bracket = url.host.find(':') != std::string::npos;
  request.set(http::field::host, fmt::format("{}{}{}:{}", bracket ? "[" : "", url.host, bracket ? "]" : "", url.port));
  request.set(http::field::user_agent, "sickbay");
  if (!bearer.empty()) request.set(http::field::authorization, "Bearer " + bearer);
  if (!body.empty()) request.set(http::field::content_type, "application/json");
  for (const auto& [name, value] : headers) request.set(name, value);
  request.body() = std::move(body);
  request.prepare_payload();
  return request;
}

asio::awaitable<Result<Answer>> Client::request(std::string_view verb, std::string target, std::string body,
                                                std::string bearer, Headers headers) {
  Parts& parts = *parts_;
  if (parts.busy) co_return fail(Errc::internal, "one request at a time: the last one has not ended");
  auto request = parts.compose(verb, target, std::move(body), bearer, headers);
  parts.busy = true;
  Result<Answer> answer = fail(Errc::internal, "not sent");
  for (int attempt = 0; attempt < 2; ++attempt) {
    const bool reused = parts.open;
    if (!parts.open) {
      const error_code error = co_await parts.connect();
      if (error) {
        parts.drop();
        answer = tl::unexpected(explain(error, parts.url, "connecting to"));
        break;
      }
    }
    bool repeatable = false;
    if (parts.url.tls) {
      answer = co_await parts.exchange(*parts.tls, request, repeatable);
    } else {
      answer = co_await parts.exchange(*parts.plain, request, repeatable);
    }
    if (answer || !reused || !repeatable) break;
  }
  parts.busy = false;
  co_return answer;
}

template <class Stream>
asio::awaitable<Result<Answer>> Client::Parts::follow(Stream& stream, http::request<http::string_body>& request,
                                                      Duration silence,
                                                      const std::function<bool(std::string_view)>& on_bytes) {
  beast::tcp_stream& lowest = beast::get_lowest_layer(stream);
  lowest.expires_after(options.deadline);
  auto [unsent, sent] = co_await http::async_write(stream, request, kTuple);
  if (unsent) co_return tl::unexpected(explain(unsent, url, "sending to"));
  beast::flat_buffer buffer(64U << 10);
  http::response_parser<http::string_body> parser;
  parser.body_limit(boost::none);  // endless by nature; what came is handed on and forgotten
  auto [unread, header] = co_await http::async_read_header(stream, buffer, parser, kTuple);
  if (unread) co_return tl::unexpected(explain(unread, url, "reading from"));
  auto& message = parser.get();
  const bool streams = message.result_int() == 200;
  bool wanted = true;
  while (wanted && !parser.is_done()) {
    lowest.expires_after(silence);
    auto [broken, count] = co_await http::async_read_some(stream, buffer, parser, kTuple);
    if (broken) co_return tl::unexpected(explain(broken, url, "reading from"));
    if (streams) {
      if (!message.body().empty()) wanted = on_bytes(message.body());
      message.body().clear();
    } else if (message.body().size() > options.max_answer) {
      co_return fail(Errc::too_large, fmt::format("the answer of {} is larger than we take", url.host));
    }
  }
  co_return Answer{
      message.result_int(), std::move(message.body()), std::string(message[http::field::content_type]), {}, {}};
}

asio::awaitable<Result<Answer>> Client::stream(std::string target, std::string bearer, Headers headers,
                                               Duration silence, std::function<bool(std::string_view)> on_bytes) {
  Parts& parts = *parts_;
  if (parts.busy) co_return fail(Errc::internal, "one request at a time: the last one has not ended");
  auto request = parts.compose("GET", target, {}, bearer, headers);
  parts.busy = true;
  Result<Answer> answer = fail(Errc::internal, "not sent");
  if (const error_code error = co_await parts.connect()) {
    answer = tl::unexpected(explain(error, parts.url, "connecting to"));
  } else if (parts.url.tls) {
    answer = co_await parts.follow(*parts.tls, request, silence, on_bytes);
  } else {
    answer = co_await parts.follow(*parts.plain, request, silence, on_bytes);
  }
  parts.drop();
  parts.busy = false;
  co_return answer;
}

void Client::close() {
  parts_->drop();
}
bool Client::connected() const {
  return parts_->open;
}
std::uint64_t Client::connections() const {
  return parts_->connections;
}
std::uint64_t Client::resumptions() const {
  return parts_->resumptions;
}

}  // namespace sickbay::net
