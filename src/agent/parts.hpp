// The inside of an agent: what its sources tell becomes findings, findings go through the active set into the outbox,
// and the uplink takes them from there. Everything happens on the io_context's one thread, driven by what arrives and
// by the heartbeat.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <optional>
#include <set>

#include "agent/active.hpp"
#include "agent/agent.hpp"
#include "agent/mounts.hpp"
#include "agent/outbox.hpp"
#include "agent/reader.hpp"
#include "agent/state.hpp"
#include "agent/uplink.hpp"
#include "model/json.hpp"

namespace sickbay::agent {

struct Agent::Parts final : RecordSink, UplinkHost, std::enable_shared_from_this<Agent::Parts> {
  Parts(asio::io_context& context, Config given, Identity who, std::unique_ptr<RecordSource> records,
        const rules::KernelLog& rules, const FaultTable& table, const Clock& time);

  Status start();
  void end();   // nothing is written, sent or called back after this
  void save();  // position and active faults, where the outbox is on disk
  Standing standing() const;

  // RecordSink
  void on_record(const RawRecord& record) override;
  void on_drained() override;
  void on_overrun() override;
  void on_broken(const std::string& why) override;
  void on_end() override;
  // UplinkHost
  wire::Hello hello() override;
  wire::Heartbeat heartbeat() override;
  void tick() override;
  std::vector<std::string> credentials() override;
  void greeted(const wire::HelloReply& reply, const std::string& credential) override;
  void delivered() override;

  Duration since_boot() const { return clock.steady() - identity.boot_steady; }
  void accept(Finding finding);  // a finding from a detector: counts, and queues what is new
  void queue(const Finding& finding);
  void commit();              // makes durable what is queued, and sends
  void own(Finding finding);  // a finding that no record stands behind: gives it its id and time
  void broken(std::string detector, std::string code, std::string sentence, json::object evidence = {});
  void mended(std::string detector, std::string code, std::string sentence);
  void note_lost(std::uint64_t records);
  void note_outbox();
  void look_at_bus();
  void look_at_mounts();
  void confirm(const Finding& finding);
  void watch_mounts();
  std::string ticket() const;

  asio::io_context& io;
  Config config;
  Identity identity;
  std::unique_ptr<RecordSource> source;
  const rules::KernelLog& log;
  const FaultTable& faults;
  const Clock& clock;

  StateDirectory state;
  Saved saved;
  ActiveSet active;
  Mounts mounts;
  std::unique_ptr<Reader> reader;
  std::unique_ptr<Outbox> outbox;
  std::unique_ptr<Uplink> uplink;
  std::optional<asio::posix::stream_descriptor> mount_watch;
  std::function<void(const Finding&)> finding_callback;
  std::function<void()> done_callback;

  std::string credential;
  std::optional<Shape> expected;  // what the server says the node should have
  std::uint64_t findings = 0;
  std::uint64_t saved_at = 0;  // sequence of the position last saved
  bool ended = false;          // no more records will come
  bool stopped = false;
  bool queued = false;     // something waits for commit()
  bool save_due = false;   // save() is on its way, or waits for the heartbeat
  Duration last_save{};    // steady time
  bool reading = true;     // the source works
  bool read_once = false;  // all that was there at the start
  bool overrun = false;
  bool lost = false;          // records were lost since the last tick
  bool bus_in_doubt = false;  // look at it at the next occasion
  bool said_memory = false;
  std::string save_problem;
};

}  // namespace sickbay::agent
