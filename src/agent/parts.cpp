#include "agent/parts.hpp"

#include <fmt/core.h>

#include <boost/asio/post.hpp>

#include "agent/pci.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "model/json.hpp"

namespace sickbay::agent {
namespace {

constexpr const char* kVersion = "0.1.0";
constexpr std::uint64_t kSaveEvery = 500;  // records without a finding; reading them again costs nothing
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
      source(std::move(records)),
      log(rules),
      faults(table),
      clock(time),
      active(faults),
      mounts(config.proc, config.sys) {}

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
  saved_at = saved.sequence.value_or(0);
  active.restore(std::move(saved.active), clock.steady());
  credential = state.credential();
  const std::string directory = config.state.empty() ? std::string() : config.state + "/outbox";
  outbox = std::make_unique<Outbox>(Outbox::Options{directory, config.outbox_bytes, config.outbox_bytes / 16});
  uplink = std::make_unique<Uplink>(io, config, *outbox, *this, clock, std::move(client));
  reader = std::make_unique<Reader>(log, identity, config.allow_injected, saved.sequence);
  note_outbox();
  if (config.watch_host) look_at_mounts();
  commit();
  source->start(*this);
  return {};
}

void Agent::Parts::end() {
  stopped = true;
  finding_callback = nullptr;
  done_callback = nullptr;
  source->stop();
  mount_watch.reset();
  if (uplink) uplink->stop();
  state = {};
}

void Agent::Parts::save() {
  save_due = false;
  last_save = clock.steady();
  if (stopped || !outbox || (!config.state.empty() && !outbox->on_disk())) return;
  active.changed();
  saved.sequence = reader->sequence();
  saved_at = saved.sequence.value_or(0);
  saved.active = active.list();
  const auto status = state.save(saved);
  saved.active.clear();
  const std::string problem = status ? "" : status.error().message;
  if (problem != save_problem && !problem.empty()) log::warn("the agent's position is not saved: {}", problem);
  save_problem = problem;
}

Standing Agent::Parts::standing() const {
  if (!outbox) return {};
  return {uplink->connected(), uplink->epoch(),   uplink->node_id(),
          outbox->pending(),   outbox->dropped(), outbox->on_disk() ? "disk" : "memory",
          reader->records(),   findings,          active.size(),
          uplink->problem()};
}

void Agent::Parts::accept(Finding finding) {
  bound(finding);
  if (active.take(finding, clock.steady())) queue(finding);
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

void Agent::Parts::own(Finding finding) {
  finding.boot_id = identity.boot_id;
  finding.since_boot_us = since_boot().count();
  finding.id = own_finding_id(identity.boot_id, finding);
  accept(std::move(finding));
}

void Agent::Parts::broken(std::string detector, std::string code, std::string sentence, json::object evidence) {
  Finding finding;
  finding.detector = std::move(detector);
  finding.fault = {"DetectorBroken", std::move(code)};
  finding.sentence = std::move(sentence);
  finding.evidence = std::move(evidence);
  own(std::move(finding));
}

void Agent::Parts::mended(std::string detector, std::string code, std::string sentence) {
  if (!active.find({"DetectorBroken", code}, "")) return;
  Finding finding;
  finding.kind = FindingKind::clear;
  finding.detector = std::move(detector);
  finding.fault = {"DetectorBroken", std::move(code)};
  finding.severity = Severity::info;
  finding.sentence = std::move(sentence);
  own(std::move(finding));
}

// What the disk does to the outbox is said on the wire ("outbox") and as a finding.
void Agent::Parts::note_outbox() {
  const bool memory = !config.state.empty() && !outbox->on_disk();
  if (memory == said_memory) return;
  said_memory = memory;
  if (memory) {
    broken("filesystem", "outbox",
           fmt::format("The agent's disk takes no writes: it works from memory ({})", to_utf8(outbox->problem())),
           {{"reason", to_utf8(outbox->problem())}});
  } else {
    mended("filesystem", "outbox", "The agent's disk takes writes again");
  }
}

void Agent::Parts::on_record(const RawRecord& record) {
  const std::vector<Finding> found = reader->read(record, since_boot());
  if (const std::uint64_t count = reader->take_lost(); count > 0) note_lost(count);
  for (const Finding& finding : found) {
    if (finding.kind == FindingKind::fault) {
      bus_in_doubt = bus_in_doubt || speaks_of_a_lost_device(finding.fault);
    }
    accept(finding);
    if (finding.kind == FindingKind::fault && speaks_of_a_filesystem(finding.fault)) confirm(finding);
  }
}

void Agent::Parts::on_drained() {
  reading = true;
  if (std::exchange(overrun, false) && !lost) note_lost(0);
  if (bus_in_doubt) look_at_bus();
  if (!std::exchange(read_once, true) && config.watch_host) look_at_mounts();  // what the log tells of may long be over
  commit();
}

void Agent::Parts::on_overrun() {
  overrun = true;
}

// A gap in the log may hide anything: look at what can be looked at.
void Agent::Parts::note_lost(std::uint64_t records) {
  const bool first = !std::exchange(lost, true);
  bus_in_doubt = true;
  const std::string count = records == 0 ? "An unknown number of" : std::to_string(records);
  log::warn("{} kernel records were overwritten before they could be read", count);
  broken("kernel-log", "kernel-log",
         fmt::format("{} kernel records were overwritten before the agent could read them", count),
         {{"lost", records}});
  if (first && config.watch_host) look_at_mounts();
}

void Agent::Parts::on_broken(const std::string& why) {
  if (reading) log::error("{}; the agent tries again at each heartbeat", why);
  reading = false;
  bus_in_doubt = true;
  broken("kernel-log", "kernel-log", fmt::format("The kernel log cannot be read: {}", to_utf8(why)),
         {{"reason", to_utf8(why)}});
  if (reader) commit();
}

void Agent::Parts::on_end() {
  ended = true;
  for (const Finding& finding : active.due(clock.steady())) queue(finding);
  commit();
  uplink->notify();
}

void Agent::Parts::tick() {
  if (stopped) return;
  source->tick();
  outbox->recover();
  note_outbox();
  if (config.watch_host) {
    look_at_bus();
    look_at_mounts();
  }
  if (reading && !lost) mended("kernel-log", "kernel-log", "The kernel log is read again, and without gaps");
  lost = false;
  if (active.overflowed() > 0) {
    broken(
        "kernel-log", "active-faults",
        fmt::format("{} more faults than the {} the agent can hold were seen", active.overflowed(), ActiveSet::kMost));
  } else {
    mended("kernel-log", "active-faults", "The agent holds all its faults again");
  }
  for (const Finding& finding : active.due(clock.steady())) queue(finding);
  const bool moved = reader->sequence().value_or(0) > saved_at + kSaveEvery;
  commit();
  if (active.changed() || moved || save_due) save();
}

wire::Hello Agent::Parts::hello() {
  wire::Hello hello;
  hello.cluster = config.cluster;
  hello.node = config.node;
  hello.machine_id = identity.machine_id;
  hello.boot_id = identity.boot_id;
  hello.boot_started_at = identity.boot_started_at;
  hello.host = identity.host;
  hello.agent_version = kVersion;
  hello.stream = outbox->stream();
  hello.next_sequence = outbox->first_sequence();
  hello.shape = identity.shape;
  if (config.watch_host) {
    if (const auto devices = accelerators(config.sys)) hello.shape = shape_of(*devices);
  }
  const std::vector<ActiveFault> list = active.list();
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
  const std::vector<ActiveFault> list = active.list();
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
  expected = reply.expected;
  look_at_bus();
  commit();
}

void Agent::Parts::delivered() {
  if (!config.once || !ended || queued || !done_callback) return;
  const auto done = std::exchange(done_callback, nullptr);
  done();
}

}  // namespace sickbay::agent
