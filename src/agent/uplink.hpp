// The talk with the server (engine.md 6 and 7): hello first, findings as soon as there are any, a heartbeat at its
// interval, all over one connection, one request at a time. Its only timer is the next heartbeat while it is connected,
// and the back-off while it is not.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "agent/config.hpp"
#include "agent/outbox.hpp"
#include "model/wire.hpp"
#include "net/client.hpp"

namespace sickbay::agent {

namespace asio = boost::asio;

// What the uplink asks of the agent around it.
class UplinkHost {
 public:
  virtual ~UplinkHost() = default;
  virtual wire::Hello hello() = 0;
  virtual wire::Heartbeat heartbeat() = 0;  // with the active faults in it
  // At each heartbeat, connected or not: look around, count up, save.
  virtual void tick() = 0;
  // Bearer tokens to try for a hello, best first.
  virtual std::vector<std::string> credentials() = 0;
  // The server took the hello that was said with `credential`.
  virtual void greeted(const wire::HelloReply& reply, const std::string& credential) = 0;
  virtual void delivered() = 0;  // the outbox has become empty
};

class Uplink {
 public:
  // `client` null: there is no server, only ticks. The others outlive the uplink.
  Uplink(asio::io_context& io, const Config& config, Outbox& outbox, UplinkHost& host, const Clock& clock,
         std::unique_ptr<net::Client> client);

  // Runs until stop(). `keep` is held that long: whatever the references point into.
  static asio::awaitable<void> run(Uplink& uplink, std::shared_ptr<void> keep);
  void notify();  // there is something to send
  void stop();

  bool connected() const { return greeted_; }
  std::uint64_t epoch() const { return epoch_; }
  const std::string& node_id() const { return node_id_; }
  const std::string& problem() const { return problem_; }

 private:
  asio::awaitable<void> loop();
  asio::awaitable<bool> say_hello();
  asio::awaitable<bool> send_findings();
  asio::awaitable<bool> send_heartbeat();
  asio::awaitable<void> wait(Duration until);
  asio::awaitable<void> back_off();
  void tick_if_due();
  std::string batch_body(const Outbox::Slice& slice) const;
  bool judge(const Result<net::Answer>& answer, std::string_view doing);
  void take_interval(Duration interval);

  asio::steady_timer timer_;
  const Config& config_;
  Outbox& outbox_;
  UplinkHost& host_;
  const Clock& clock_;
  std::unique_ptr<net::Client> client_;
  std::minstd_rand random_;  // for jitter: no decision hangs on it

  bool stopped_ = false;
  bool notified_ = false;
  bool greeted_ = false;
  bool heartbeat_due_ = false;
  bool waiting_idle_ = false;
  std::uint64_t epoch_ = 0;
  std::string node_id_;
  std::string stream_;      // the one the server was told of
  std::string credential_;  // the one that works
  std::string problem_;
  std::string told_digest_;  // of the active faults the server has
  unsigned heartbeats_ = 0;
  Duration interval_ = seconds{60};
  Duration next_tick_{};
  unsigned failures_ = 0;    // in a row
  Duration retry_after_{};   // what the server asked for
  std::size_t batch_ = 256;  // findings in one request
};

}  // namespace sickbay::agent
