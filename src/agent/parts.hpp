// The inside of an agent: what its detectors say goes through the active set into the outbox, and the uplink takes it
// from there. Everything happens on the io_context's one thread, driven by what arrives and by the heartbeat.
#pragma once

#include "agent/agent.hpp"
#include "agent/detector.hpp"
#include "agent/outbox.hpp"
#include "agent/uplink.hpp"

namespace sickbay::agent {

struct Agent::Parts final : FindingSink, UplinkHost, std::enable_shared_from_this<Agent::Parts> {
  Parts(asio::io_context& context, Config given, Identity who, std::unique_ptr<RecordSource> records,
        const rules::KernelLog& rules, const FaultTable& table, const Clock& time);

  Status start();
  void end();   // nothing is written, sent or called back after this
  void save();  // what the detectors remember and the active faults, where the outbox is on disk
  Standing standing() const;

  // FindingSink
  void accept(Finding finding) override;  // counts, queues what is new, and passes hints on
  void broken(std::string_view detector, std::string_view code, std::string sentence,
              boost::json::object evidence) override;
  void mended(std::string_view detector, std::string_view code, std::string sentence) override;
  void gap() override;
  void settled() override;
  void commit() override;  // makes durable what is queued, and sends
  void finished() override;
  void save_soon() override { save_due = true; }
  const ActiveSet& active() const override { return active_faults; }
  // UplinkHost
  wire::Hello hello() override;
  wire::Heartbeat heartbeat() override;
  void tick() override;
  std::vector<std::string> credentials() override;
  void greeted(const wire::HelloReply& reply, const std::string& credential) override;
  void delivered() override;

  void queue(const Finding& finding);
  void queue_due();
  void hint(const Finding& finding);
  void note_outbox();
  void note_overflow();
  std::string ticket() const;

  asio::io_context& io;
  Config config;
  Identity identity;
  const FaultTable& faults;
  const Clock& clock;

  StateDirectory state;
  Saved saved;
  ActiveSet active_faults;
  std::unique_ptr<Outbox> outbox;
  std::unique_ptr<Uplink> uplink;
  // One moves from `waiting` to `detectors` when it starts: nothing is asked of those that have not.
  std::vector<std::unique_ptr<Detector>> waiting, detectors;
  std::function<void(const Finding&)> finding_callback;
  std::function<void()> done_callback;

  std::string credential;
  std::uint64_t findings = 0;
  bool ended = false;  // no more records will come
  bool stopped = false;
  bool queued = false;    // something waits for commit()
  bool save_due = false;  // save() is on its way, or waits for the heartbeat
  Duration last_save{};   // steady time
  std::string save_problem;
};

}  // namespace sickbay::agent
