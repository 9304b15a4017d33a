// Listening, accepting, stopping.
#include "net/server.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <future>

#include "base/log.hpp"
#include "net/server_impl.hpp"

namespace sickbay::net {
namespace {

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kSpareFiles = 64;  // for the database, logs and their kind

std::size_t most_connections(std::size_t wanted) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return wanted;
  const auto allowed = static_cast<std::size_t>(files.rlim_cur);
  return std::min(wanted, allowed > 2 * kSpareFiles ? allowed - kSpareFiles : kSpareFiles);
}

Status load_tls(const ServerOptions& options, std::optional<asio::ssl::context>& tls) {
  if (options.tls_certificate.empty() && options.tls_key.empty()) return {};
  if (options.tls_certificate.empty() || options.tls_key.empty()) {
    return fail(Errc::invalid, "TLS needs both a certificate file and a key file");
  }
  try {
    asio::ssl::context context(asio::ssl::context::tls_server);
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_options(context.native_handle(), SSL_OP_NO_RENEGOTIATION);
    // Tickets are OpenSSL's default; without an id context it would refuse to resume a session.
    constexpr unsigned char kId[] = "sickbay";
    SSL_CTX_set_session_id_context(context.native_handle(), kId, sizeof kId - 1);
    context.use_certificate_chain_file(options.tls_certificate);
    context.use_private_key_file(options.tls_key, asio::ssl::context::pem);
    tls.emplace(std::move(context));
    return {};
  } catch (const boost::system::system_error& error) {
    return fail(Errc::invalid, fmt::format("cannot use the TLS certificate {} with the key {}: {}",
                                           options.tls_certificate, options.tls_key, error.code().message()));
  }
}

}  // namespace

Server::Impl::Impl(ServerOptions given, Handler h)
    : options(std::move(given)), handler(std::move(h)), pool(std::max(1U, options.workers)) {
  options.connections = most_connections(options.connections);
}

Server::Impl::~Impl() {
  stop();
}

Status Server::Impl::listen() {
  SICKBAY_CHECK(load_tls(options, tls));
  const auto where = fmt::format("{} port {}", options.host, options.port);
  try {
    tcp::resolver resolver(io);
    const auto found = resolver.resolve(options.host, std::to_string(options.port), tcp::resolver::passive);
    const tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(endpoint);
    acceptor.listen(1024);
    port = acceptor.local_endpoint().port();
  } catch (const boost::system::system_error& error) {
    return fail(Errc::io, fmt::format("cannot listen on {}: {}", where, error.code().message()));
  }
  asio::co_spawn(io, accept(), asio::detached);
  thread_ = std::thread([this] { io.run(); });
  return {};
}

asio::awaitable<void> Server::Impl::accept() {
  asio::steady_timer pause(io);
  while (!stopping) {
    auto [error, socket] = co_await acceptor.async_accept(kAsTuple);
    if (stopping) break;
    if (error) {  // out of files or memory: wait for some to come back rather than spin
      log::warn("cannot accept a connection: {}", error.message());
      pause.expires_after(milliseconds{100});
      co_await pause.async_wait(kAsTuple);
      continue;
    }
    boost::system::error_code ignored;
    if (connections >= options.connections) {
      ++refused;
      constexpr std::string_view kFull =
          "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
      if (!tls) {
        socket.non_blocking(true, ignored);
        socket.send(asio::buffer(kFull), 0, ignored);
      }
      continue;
    }
    socket.set_option(tcp::no_delay(true), ignored);
    ++connections;
    asio::co_spawn(io, serve(std::move(socket)), [this](std::exception_ptr failure) {
      --connections;
      if (!failure) return;
      try {
        std::rethrow_exception(failure);
      } catch (const std::exception& error) {
        log::debug("a connection ended: {}", error.what());
      }
    });
  }
}

void Server::Impl::stop() {
  if (!thread_.joinable()) return;
  asio::post(io, [this] {
    stopping = true;
    boost::system::error_code ignored;
    acceptor.close(ignored);
    for (tcp::socket* socket : idle) socket->cancel(ignored);
    for (asio::steady_timer* timer : waiting) timer->cancel();
  });
  // Ends when nothing is left to do, or when the grace is over.
  auto ended = std::async(std::launch::async, [this] { thread_.join(); });
  if (ended.wait_for(options.stop_grace) != std::future_status::ready) io.stop();
  ended.wait();
  pool.stop();
  pool.join();
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Handler handler) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(handler));
  SICKBAY_CHECK(impl->listen());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::uint16_t Server::port() const {
  return impl_->port;
}

void Server::wake_streams() {
  asio::post(impl_->io, [impl = impl_.get()] {
    ++impl->wakes;
    for (asio::steady_timer* timer : impl->waiting) timer->cancel();
  });
}

ServerCounters Server::counters() const {
  return {impl_->requests, impl_->refused, impl_->connections, impl_->streams};
}

void Server::stop() {
  impl_->stop();
}

}  // namespace sickbay::net
