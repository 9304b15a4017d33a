// A server that says exactly what a test tells it to, to the byte, on the agent's own io_context.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "model/json.hpp"
#include "model/wire.hpp"

namespace sickbay::agent {

namespace asio = boost::asio;

// Runs `io` until `done` or for at most 20 s; false when time was up.
inline bool run_until(asio::io_context& io, const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  io.restart();
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    if (io.stopped()) io.restart();
    io.run_one_for(std::chrono::milliseconds(50));
  }
  return true;
}

inline std::string http(int status, const std::string& body, const std::string& more = "") {
  return fmt::format("HTTP/1.1 {} X\r\nContent-Type: application/json\r\n{}Content-Length: {}\r\n\r\n{}", status, more,
                     body.size(), body);
}

class FakeServer {
 public:
  struct Request {
    std::string target, bearer, body;
  };
  // What to answer, in raw bytes; empty: close the connection.
  using Script = std::function<std::string(const Request&)>;

  FakeServer(asio::io_context& io, Script script, unsigned short port = 0)
      : io_(io), acceptor_(io), script_(std::move(script)) {
    const asio::ip::tcp::endpoint where(asio::ip::make_address("127.0.0.1"), port);
    acceptor_.open(where.protocol());
    acceptor_.set_option(asio::socket_base::reuse_address(true));
    acceptor_.bind(where);
    acceptor_.listen();
    accept();
  }
  ~FakeServer() { drop_connections(); }

  unsigned short port() const { return acceptor_.local_endpoint().port(); }
  std::string url() const { return fmt::format("http://127.0.0.1:{}", port()); }
  void drop_connections() {
    for (auto& weak : connections_) {
      boost::system::error_code ignored;
      if (const auto connection = weak.lock()) connection->socket.close(ignored);
    }
  }
  std::size_t accepted() const { return connections_.size(); }
  std::size_t count(const std::string& target) const {
    std::size_t n = 0;
    for (const Request& request : requests) n += request.target == target ? 1 : 0;
    return n;
  }
  std::vector<Request> requests;  // all of them, oldest first

 private:
  struct Connection {
    explicit Connection(asio::io_context& io) : socket(io) {}
    asio::ip::tcp::socket socket;
    std::string buffer, answer;
  };

  void accept() {
    auto connection = std::make_shared<Connection>(io_);
    acceptor_.async_accept(connection->socket, [this, connection](boost::system::error_code error) {
      if (error) return;
      connections_.push_back(connection);
      read(connection);
      accept();
    });
  }
  void read(const std::shared_ptr<Connection>& connection) {
    asio::async_read_until(
        connection->socket, asio::dynamic_buffer(connection->buffer), "\r\n\r\n",
        [this, connection](boost::system::error_code error, std::size_t header) {
          if (error) return;
          const std::string head = connection->buffer.substr(0, header);
          std::size_t length = 0;
          if (const auto at = to_lower(head).find("content-length: "); at != std::string::npos) {
            length = static_cast<std::size_t>(std::atoll(head.c_str() + at + 16));
          }
          connection->buffer.erase(0, header);
          const std::size_t missing = length - std::min(length, connection->buffer.size());
          asio::async_read(
              connection->socket, asio::dynamic_buffer(connection->buffer), asio::transfer_exactly(missing),
              [this, connection, head, length](boost::system::error_code failed, std::size_t) {
                if (failed) return;
                Request request{head.substr(5, head.find(' ', 5) - 5), "", connection->buffer.substr(0, length)};
                if (const auto at = head.find("Bearer "); at != std::string::npos) {
                  request.bearer = head.substr(at + 7, head.find('\r', at) - at - 7);
                }
                connection->buffer.erase(0, length);
                requests.push_back(request);
                connection->answer = script_(request);
                if (connection->answer.empty()) return connection->socket.close();
                asio::async_write(connection->socket, asio::buffer(connection->answer),
                                  [this, connection](boost::system::error_code unsent, std::size_t) {
                                    if (unsent) return;
                                    if (connection->answer.ends_with("\r\n\r\nendless")) {
                                      connection->answer = std::string(64U << 10, 'x') + "\r\n\r\nendless";
                                      return endless(connection);
                                    }
                                    read(connection);
                                  });
              });
        });
  }
  void endless(const std::shared_ptr<Connection>& connection) {
    asio::async_write(connection->socket, asio::buffer(connection->answer),
                      [this, connection](boost::system::error_code error, std::size_t) {
                        if (!error) endless(connection);
                      });
  }

  asio::io_context& io_;
  asio::ip::tcp::acceptor acceptor_;
  Script script_;
  std::vector<std::weak_ptr<Connection>> connections_;
};

// A server that does everything right, and remembers.
class GoodServer {
 public:
  std::string operator()(const FakeServer::Request& request) {
    if (request.target == "/v1/agent/hello") {
      hellos.push_back(from_json_text<wire::Hello>(request.body).value());
      wire::HelloReply reply{"node-1", ++epoch, credential, 0, minutes{1}, expected};
      if (hellos.back().stream == stream) reply.acked = acked;
      return http(200, to_json_text(reply));
    }
    if (request.target == "/v1/agent/findings") {
      const auto batch = from_json_text<wire::Batch>(request.body).value();
      if (batch.stream != stream) stream = batch.stream, acked = 0;
      for (std::size_t i = 0; i < batch.findings.size(); ++i) {
        if (batch.first_sequence + i > acked) findings.push_back(batch.findings[i]);
      }
      acked = std::max(acked, batch.first_sequence + batch.findings.size() - 1);
      dropped = batch.dropped;
      return http(200, to_json_text(wire::BatchReply{acked}));
    }
    heartbeats.push_back(from_json_text<wire::Heartbeat>(request.body).value());
    return http(200, to_json_text(wire::HeartbeatReply{minutes{1}, std::exchange(send_active, false), {}}));
  }

  // Of one fault, by kind.
  std::vector<Finding> of(const std::string& name, FindingKind kind = FindingKind::fault) const {
    std::vector<Finding> found;
    for (const Finding& finding : findings) {
      if (finding.fault.name == name && finding.kind == kind) found.push_back(finding);
    }
    return found;
  }

  std::uint64_t epoch = 0, acked = 0, dropped = 0;
  std::string stream, credential;
  Shape expected;
  bool send_active = false;
  std::vector<wire::Hello> hellos;
  std::vector<wire::Heartbeat> heartbeats;
  std::vector<Finding> findings;
};

}  // namespace sickbay::agent
