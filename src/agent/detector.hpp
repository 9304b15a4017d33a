// What finds faults on a node: one class for each kind of thing that is looked at or listened to (the kernel log, the
// PCI bus, the mounts). A detector owns all that it needs to remember; the agent around it owns what becomes of
// findings: the active set, the outbox, the uplink, what is saved. Detectors do not know each other. Where one's
// finding is a reason for another to look, the fault's row in rules/faults.yaml says so (`look: pci`).
// Everything is called on the io_context's one thread. docs/architecture.md says how to add one.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/active.hpp"
#include "agent/config.hpp"
#include "agent/identity.hpp"
#include "agent/state.hpp"
#include "model/wire.hpp"

namespace sickbay::rules {
class KernelLog;
}

namespace sickbay::agent {

namespace asio = boost::asio;

class RecordSource;

// What a detector may say. Findings wait for settled(), commit() or the end of a heartbeat, then go out together.
class FindingSink {
 public:
  virtual ~FindingSink() = default;
  // A finding. One without an id stands on no record: it gets its id, boot and time here.
  virtual void accept(Finding finding) = 0;
  // The detector cannot do its work, or only in part: a DetectorBroken with this code, counted while it lasts.
  virtual void broken(std::string_view detector, std::string_view code, std::string sentence,
                      boost::json::object evidence) = 0;
  // It works again; says nothing unless it was broken.
  virtual void mended(std::string_view detector, std::string_view code, std::string sentence) = 0;
  virtual void gap() = 0;        // something was missed that may have been anything: the others look around
  virtual void settled() = 0;    // nothing more to say for now: the others' turn, then it is made durable and sent
  virtual void commit() = 0;     // made durable and sent without another's turn
  virtual void finished() = 0;   // nothing will ever come any more (the records were a file)
  virtual void save_soon() = 0;  // Detector::save() has news worth writing at this heartbeat
  virtual const ActiveSet& active() const = 0;
};

class Detector {
 public:
  virtual ~Detector() = default;
  // As in Finding::detector and in `look` of a fault's row.
  virtual std::string_view name() const = 0;
  // Begins. `sink` outlives the detector or its stop(); `saved` is what an earlier start left (of this boot, or of any
  // where the member says so). What can be seen at once may be told at once.
  virtual void start(FindingSink& sink, const Saved& saved) = 0;
  // No call to the sink comes after this.
  virtual void stop() = 0;

  virtual void on_heartbeat() {}  // look around, try again what is broken; connected or not
  // Another detector's finding, already accepted, whose fault's row names this one.
  virtual void on_hint(const Finding&) {}
  virtual void on_gap() {}      // another detector may have missed something
  virtual void on_settled() {}  // another detector has said all it has: the moment to look once for many hints
  virtual void on_hello(wire::Hello&) {}               // what the server is told at each hello
  virtual void on_greeted(const wire::HelloReply&) {}  // and what it answers
  virtual void save(Saved&) {}                         // what start() is given after a restart
  virtual std::uint64_t records() const { return 0; }  // read since the start
};

// What detectors are made from. All of it outlives them, except the source, which the kernel log's takes.
struct Surroundings {
  asio::io_context& io;
  const Config& config;
  const Identity& identity;
  const rules::KernelLog& log;
  const FaultTable& faults;
  const Clock& clock;
  std::unique_ptr<RecordSource>& source;
};

// All there are, in the order in which they are started and called (detectors.cpp).
std::vector<std::unique_ptr<Detector>> make_detectors(const Surroundings& around);

}  // namespace sickbay::agent
