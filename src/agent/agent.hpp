// The node agent (product.md 3.1): reads the kernel log, looks at the PCI bus and at mounts, keeps what it finds in an
// outbox and tells the server. It never repairs anything. One object is one agent start: to restart an agent, destroy
// it and make another on the same state directory. Many live in one process over one io_context (the simulated fleet);
// the io_context is run by one thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "agent/config.hpp"
#include "agent/identity.hpp"
#include "agent/source.hpp"
#include "base/time.hpp"
#include "model/finding.hpp"

namespace sickbay::rules {
class KernelLog;
}

namespace sickbay::agent {

// Where an agent stands, for people and tests.
struct Standing {
  bool connected = false;   // the server took our newest hello
  std::uint64_t epoch = 0;  // of that hello
  std::string node_id;
  std::uint64_t pending = 0;    // findings not yet acknowledged
  std::uint64_t dropped = 0;    // findings the outbox had to drop
  std::string outbox = "disk";  // or "memory"
  std::uint64_t records = 0;    // read since the start
  std::uint64_t findings = 0;   // queued since the start
  std::uint64_t active = 0;     // faults held to be there now
  std::string problem;          // why it is not connected, in words
};

class Agent {
 public:
  // `log`, `faults` and `clock` outlive the agent. The source is what `config.records` names, or a MemorySource.
  Agent(asio::io_context& io, Config config, Identity identity, std::unique_ptr<RecordSource> source,
        const rules::KernelLog& log, const FaultTable& faults, const Clock& clock);
  // Ends it as kill -9 would: nothing more is written or sent.
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // Opens the state directory and begins to read and to send. Errc::conflict when another agent uses the directory.
  // A state directory that takes no writes is no error: the agent works from memory and says so.
  Status start();
  // Saves where it stands and ends; what is not delivered stays in the outbox.
  void stop();
  Standing standing() const;

  // Each finding as it is queued (for --print and tests). Set before start().
  void on_finding(std::function<void(const Finding&)> callback);
  // Called once when Config::once is set, the records have ended and the server has acknowledged everything.
  void on_done(std::function<void()> callback);

 private:
  struct Parts;
  // Shared, because a coroutine of the uplink may still be suspended when the agent is destroyed: it holds the parts
  // until it has seen the stop.
  std::shared_ptr<Parts> parts_;
};

}  // namespace sickbay::agent
