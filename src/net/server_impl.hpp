// What server.cpp (listening, stopping) and server_connection.cpp (one connection's life) share. Everything but the
// handler and the streams' more() runs on the one I/O thread, so none of it is locked.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <optional>
#include <set>
#include <thread>

#include "net/server.hpp"

namespace sickbay::net {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

class Server::Impl {
 public:
  Impl(ServerOptions options, Handler handler);
  ~Impl();
  Status listen();
  void stop();

  // One connection from accept to close.
  asio::awaitable<void> serve(tcp::socket socket);

  ServerOptions options;
  const Handler handler;
  asio::io_context io{1};  // declared before the pool: work that ends on the pool is posted back here
  std::optional<asio::ssl::context> tls;
  tcp::acceptor acceptor{io};
  std::uint16_t port = 0;
  bool stopping = false;
  std::size_t bodies = 0;                 // bytes granted to requests being read or handled
  std::uint64_t wakes = 0;                // grows with each wake-up, so that none falls between asking and waiting
  std::set<asio::steady_timer*> waiting;  // streams with nothing to say
  std::set<tcp::socket*> idle;            // connections between requests: closed at once when stopping
  std::atomic<std::size_t> queued{0};     // requests at the workers, running ones included
  std::atomic<std::uint64_t> requests{0}, refused{0}, connections{0}, streams{0};
  asio::thread_pool pool;

 private:
  asio::awaitable<void> accept();
  std::thread thread_;
};

}  // namespace sickbay::net
