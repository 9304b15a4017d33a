#include "agent/parts.hpp"

#include <fmt/core.h>

#include <boost/asio/post.hpp>

#include "agent/reader.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "model/fault_names.hpp"
#include "model/json.hpp"

namespace sickbay::agent {
namespace {

constexpr const char* kVersion = "0.1.0";
constexpr Duration kSaveApart = seconds{1};
constexpr std::size_t kMostEvidence = 12U << 10;
constexpr std::size_t kMostActiveBytes = 600U << 10;  // in one hello or heartbeat

// Rules bound what they write, but a rule file can be anything.
void bound(Finding& finding) {
  if (finding.sentence.size() > 2000) finding.sentence = truncate_utf8(finding.sentence, 2000);
  for (std::string* name : {&finding.device, &finding.fault.name, &finding.fault.code, &finding.detector}) {
    if (name->size() > 256) *name = truncate_utf8(*name, 256);
  }
  if (json::serialize(finding.evidence).size() > kMostEvidence) {
    finding.evidence = {{"left_out", "the evidence was larger than 12 KiB; see the node's own kernel log"}};
  }
}

// The set as it goes out: where it is large, the evidence of the last findings stays behind, then of all.
std::vector<ActiveFault> to_send(std::vector<ActiveFault> active) {
  std::size_t bytes = 0;
  for (ActiveFault& fault : active) {
    for (Finding* finding : {&fault.first, &fault.last}) {
      const std::size_t size = 400 + finding->sentence.size() + json::serialize(finding->evidence).size();
      if (bytes + size > kMostActiveBytes) finding->evidence = {{"left_out", "sent with the finding itself"}};
      bytes += bytes + size > kMostActiveBytes ? 0 : size;
    }
  }
  return active;
}

}  // namespace

Agent::Parts::Parts(asio::io_context& context, Config given, Identity who, std::unique_ptr<RecordSource> records,
                    const rules::KernelLog& rules, const FaultTable& table, const Clock& time)
    : io(context),
      config(std::move(given)),
      identity(std::move(who)),
      faults(table),
      clock(time),
      active_faults(faults),
      waiting(make_detectors({io, config, identity, rules, faults, clock, records})) {}

Status Agent::Parts::start() {
  SICKBAY_CHECK(check_config(config));
  std::unique_ptr<net::Client> client;
  if (!config.server.empty()) {
    SICKBAY_ASSIGN(client, net::Client::make(io, config.server, {config.ca_file, config.insecure_http}));
  }
  if (const auto status = state.open(config.state); !status) {
    if (status.error().code == Errc::conflict) return status;
    log::warn("the agent keeps nothing over a restart: {}", status.error().message);
  }
  saved = state.load();
  if (saved.boot_id != identity.boot_id) {  // another boot: its log is read from the first record
    saved.boot_id = identity.boot_id;
    saved.sequence.reset();
    saved.active.clear();
  }
  active_faults.restore(std::move(saved.active), clock.steady());
  credential = state.credential();
  const std::string directory = config.state.empty() ? std::string() : config.state + "/outbox";
  outbox = std::make_unique<Outbox>(Outbox::Options{directory, config.outbox_bytes, config.outbox_bytes / 16});
  uplink = std::make_unique<Uplink>(io, config, *outbox, *this, clock, std::move(client));
  note_outbox();
  for (std::unique_ptr<Detector>& detector : waiting) {
    detectors.push_back(std::move(detector));
    detectors.back()->start(*this, saved);
    commit();
  }
  waiting.clear();
  return {};
}

void Agent::Parts::end() {
  stopped = true;
  finding_callback = nullptr;
  done_callback = nullptr;
  for (const auto& detector : detectors) detector->stop();
  if (uplink) uplink->stop();
  state = {};
}

void Agent::Parts::save() {
  save_due = false;
  last_save = clock.steady();
  if (stopped || !outbox || (!config.state.empty() && !outbox->on_disk())) return;
  active_faults.changed();
  for (const auto& detector : detectors) detector->save(saved);
  saved.active = active_faults.list();
  const auto status = state.save(saved);
  saved.active.clear();
  const std::string problem = status ? "" : status.error().message;
  if (problem != save_problem && !problem.empty()) log::warn("the agent's position is not saved: {}", problem);
  save_problem = problem;
}

Standing Agent::Parts::standing() const {
  if (!outbox) return {};
  std::uint64_t records = 0;
  for (const auto& detector : detectors) records += detector->records();
  return {uplink->connected(),
          uplink->epoch(),
          uplink->node_id(),
          outbox->pending(),
          outbox->dropped(),
          outbox->on_disk() ? "disk" : "memory",
          records,
          findings,
          active_faults.size(),
          uplink->problem()};
}

void Agent::Parts::accept(Finding finding) {
  if (finding.id.empty()) {
    finding.boot_id = identity.boot_id;
    finding.since_boot_us = identity.since_boot(clock).count();
    finding.id = own_finding_id(identity.boot_id, finding);
  }
  bound(finding);
  if (active_faults.take(finding, clock.steady())) queue(finding);
  if (finding.kind == FindingKind::fault) hint(finding);
}

// What one detector has seen may be a reason for another to look: the fault's row says which.
void Agent::Parts::hint(const Finding& finding) {
  const std::string look = faults.find(finding.fault).look;
  if (look.empty() || look == finding.detector) return;
  for (const auto& detector : detectors) {
    if (detector->name() == look) detector->on_hint(finding);
  }
}

void Agent::Parts::gap() {
  for (const auto& detector : detectors) detector->on_gap();
}

void Agent::Parts::settled() {
  for (const auto& detector : detectors) detector->on_settled();
  commit();
}

void Agent::Parts::queue(const Finding& finding) {
  ++findings;
  queued = true;
  if (!config.server.empty()) outbox->append(to_json_text(finding));
  if (finding_callback) finding_callback(finding);
}

void Agent::Parts::commit() {
  if (!queued) return;
  queued = false;
  outbox->commit();
  note_outbox();
  if (queued) outbox->commit();  // that it works from memory is a finding, too
  queued = false;
  uplink->notify();
  // The position follows once the findings are on their way: a crash in between repeats them, with the same ids. In a
  // burst it follows at the heartbeat, so that no finding waits for the syncs of the one before.
  if (std::exchange(save_due, true) || clock.steady() - last_save < kSaveApart) return;
  asio::post(io, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->save_due) self->save();
  });
}

void Agent::Parts::broken(std::string_view detector, std::string_view code, std::string sentence,
                          json::object evidence) {
  Finding finding;
  finding.detector = detector;
  finding.fault = {fault_names::kDetectorBroken, std::string(code)};
  finding.sentence = std::move(sentence);
  finding.evidence = std::move(evidence);
  accept(std::move(finding));
}

void Agent::Parts::mended(std::string_view detector, std::string_view code, std::string sentence) {
  const Fault fault{fault_names::kDetectorBroken, std::string(code)};
  if (!active_faults.find(fault, "")) return;
  Finding finding;
  finding.kind = FindingKind::clear;
  finding.detector = detector;
  finding.fault = fault;
  finding.severity = Severity::info;
  finding.sentence = std::move(sentence);
  accept(std::move(finding));
}

// What the disk does to the outbox is said on the wire ("outbox") and as a finding.
void Agent::Parts::note_outbox() {
  const bool memory = !config.state.empty() && !outbox->on_disk();
  if (memory == (active_faults.find({fault_names::kDetectorBroken, "outbox"}, "") != nullptr)) return;
  if (memory) {
    broken("filesystem", "outbox",
           fmt::format("The agent's disk takes no writes: it works from memory ({})", to_utf8(outbox->problem())),
           {{"reason", to_utf8(outbox->problem())}});
  } else {
    mended("filesystem", "outbox", "The agent's disk takes writes again");
  }
}

void Agent::Parts::note_overflow() {
  if (active_faults.overflowed() > 0) {
    broken("kernel-log", "active-faults",
           fmt::format("{} more faults than the {} the agent can hold were seen", active_faults.overflowed(),
                       ActiveSet::kMost),
           {});
  } else {
    mended("kernel-log", "active-faults", "The agent holds all its faults again");
  }
}

void Agent::Parts::queue_due() {
  for (const Finding& finding : active_faults.due(clock.steady())) queue(finding);
}

void Agent::Parts::finished() {
  ended = true;
  queue_due();
  commit();
  uplink->notify();
}

void Agent::Parts::tick() {
  if (stopped) return;
  outbox->recover();
  note_outbox();
  for (const auto& detector : detectors) detector->on_heartbeat();
  note_overflow();
  queue_due();
  commit();
  if (active_faults.changed() || save_due) save();
}

wire::Hello Agent::Parts::hello() {
  wire::Hello hello;
  hello.cluster = config.cluster;
  hello.node = config.node;
  hello.machine_id = identity.machine_id;
  hello.boot_id = identity.boot_id;
  hello.boot_started_at = identity.boot_started_at;
  hello.up = identity.since_boot(clock);
  hello.host = identity.host;
  hello.agent_version = kVersion;
  hello.stream = outbox->stream();
  hello.next_sequence = outbox->first_sequence();
  hello.shape = identity.shape;
  for (const auto& detector : detectors) detector->on_hello(hello);
  const std::vector<ActiveFault> list = active_faults.list();
  hello.active_digest = digest_of(list);
  hello.active = to_send(list);
  return hello;
}

wire::Heartbeat Agent::Parts::heartbeat() {
  wire::Heartbeat heartbeat;
  heartbeat.boot_id = identity.boot_id;
  heartbeat.stream = outbox->stream();
  heartbeat.outbox = outbox->on_disk() || config.state.empty() ? "disk" : "memory";
  heartbeat.dropped = outbox->dropped();
  const std::vector<ActiveFault> list = active_faults.list();
  heartbeat.active_digest = digest_of(list);
  heartbeat.active = to_send(list);
  return heartbeat;
}

std::string Agent::Parts::ticket() const {
  if (config.ticket_file.empty()) return config.ticket;
  const auto text = read_file(config.ticket_file, 64U << 10);
  if (!text) log::warn("{}", text.error().message);
  return text ? std::string(trim(*text)) : config.ticket;
}

// A ticket that has not been used comes first: someone meant this start to join anew.
std::vector<std::string> Agent::Parts::credentials() {
  std::vector<std::string> tokens;
  const std::string fresh = ticket();
  if (!fresh.empty() && sha256_hex(fresh) != saved.spent_ticket) tokens.push_back(fresh);
  if (!credential.empty()) tokens.push_back(credential);
  return tokens;
}

void Agent::Parts::greeted(const wire::HelloReply& reply, const std::string& used) {
  if (!reply.credential.empty()) {
    credential = reply.credential;
    if (const auto status = state.save_credential(credential); !status) {
      log::error("the credential is held in memory only: {}", status.error().message);
    } else {
      saved.spent_ticket = sha256_hex(used);
      save();
    }
  }
  for (const auto& detector : detectors) detector->on_greeted(reply);
  commit();
}

void Agent::Parts::delivered() {
  if (!config.once || !ended || queued || !done_callback) return;
  const auto done = std::exchange(done_callback, nullptr);
  done();
}

}  // namespace sickbay::agent
