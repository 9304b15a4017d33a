#include "engine/intake.hpp"

#include <fmt/core.h>

#include "base/text.hpp"
#include "decide/session.hpp"
#include "store/findings.hpp"
#include "store/nodes.hpp"
#include "store/people.hpp"
#include "store/sessions.hpp"
#include "store/work.hpp"

namespace sickbay::engine {
namespace {

constexpr std::size_t kActiveFaults = 1024;  // more than any agent keeps
constexpr std::size_t kBatch = 4096;
constexpr std::size_t kSentence = 4096;  // bytes
constexpr Duration kConflictNotedAgain = minutes{1};

Status check(const Finding& finding) {
  const bool named = !finding.id.empty() && finding.id.size() <= 128 && !finding.fault.name.empty() &&
                     finding.fault.name.size() <= 128 && finding.fault.code.size() <= 64;
  if (!named || finding.device.size() > 256 || finding.sentence.size() > kSentence || finding.detector.size() > 64) {
    return fail(Errc::invalid, "a finding needs an id, a fault name and a sentence of at most 4 KiB", "findings");
  }
  return {};
}

// A finding without a hash of its own cannot be told from another's: the node's id goes into what is stored.
std::vector<Finding> owned(std::string_view node, std::vector<Finding> findings) {
  for (Finding& finding : findings) finding.id = sha256_hex(fmt::format("{}/{}", node, finding.id)).substr(0, 40);
  return findings;
}

std::vector<ActiveFault> owned_active(std::string_view node, std::vector<ActiveFault> active) {
  for (ActiveFault& fault : active) {
    fault.first = owned(node, {fault.first}).front();
    fault.last = owned(node, {fault.last}).front();
  }
  return active;
}

Status check_active(const std::vector<ActiveFault>& active) {
  if (active.size() > kActiveFaults) return fail(Errc::too_large, "more active faults than an agent keeps", "active");
  for (const ActiveFault& fault : active) {
    SICKBAY_CHECK(check(fault.first));
    SICKBAY_CHECK(check(fault.last));
  }
  return {};
}

// Whether this very agent start spent the ticket already and never heard of it: its answer was lost, or the commit was
// unknown and the transaction runs again. Then it gets another credential.
bool spent_before(store::Tx& tx, const Token& token, const Node& node, const wire::Hello& hello, Time now) {
  auto known = store::find_token(tx, token.hash);
  const auto session = store::newest_session(tx, node.id);
  if (!known || !known->spent_at || !session) return false;
  if (session->hello_at != *known->spent_at) return false;  // the node's newest session is another's
  if (session->boot_id != hello.boot_id || session->stream != hello.stream) return false;
  known->spent_at = now;
  store::put_token(tx, *known);
  return true;
}

// By the database's clock, where the agent says how long ago: a node's own proves nothing (engine.md 2).
Time boot_started(const wire::Hello& hello, Time now) {
  const bool said = hello.up > Duration{} && hello.up < now.time_since_epoch();
  return said ? now - hello.up : hello.boot_started_at;
}

}  // namespace

Intake::Intake(store::Store& store, const Clock& clock, Ids& ids, const Options& options, std::function<void()> woken)
    : store_(store), clock_(clock), ids_(ids), options_(options), woken_(std::move(woken)), listening_since_(Time{}) {}

Result<wire::HelloReply> Intake::hello(const wire::Hello& hello, const Token& token) {
  if (hello.machine_id.empty() || hello.boot_id.empty() || hello.stream.empty()) {
    return fail(Errc::invalid, "a hello needs machine_id, boot_id and stream", "machine_id");
  }
  SICKBAY_CHECK(check_active(hello.active));
  const std::string secret = random_secret(), token_id = ids_.next("tok");
  const auto reply = store_.write([&](store::Tx& tx) -> Result<wire::HelloReply> {
    // A credential carries the node's id, as does a ticket; one issued before the node was known carries its name.
    auto node = store::get_node(tx, token.node);
    if (!node) node = store::find_node(tx, token.cluster, token.node.empty() ? hello.node : token.node);
    if (!node) {
      return fail(Errc::not_found,
                  fmt::format("cluster '{}' has no node '{}'; the agent's --node must be the name its "
                              "scheduler uses",
                              token.cluster, hello.node),
                  "node");
    }
    if (!hello.node.empty() && hello.node != node->name) {
      return fail(Errc::forbidden,
                  fmt::format("this credential speaks for node '{}', not '{}'", node->name, hello.node));
    }
    const Time now = store::now(tx);
    store::wake(tx, WorkKind::node, node->id, now);
    wire::HelloReply answer;
    if (token.purpose == TokenPurpose::ticket) {
      if (!store::spend_ticket(tx, token.hash, now) && !spent_before(tx, token, *node, hello, now)) {
        return fail(Errc::unauthenticated, "this ticket was used already; ask for a new one");
      }
      store::revoke_agent_tokens(tx, node->id, now);
      Token credential;
      credential.hash = sha256_hex(secret);
      credential.id = token_id;
      credential.label = "agent of " + node->name;
      credential.purpose = TokenPurpose::agent;
      credential.cluster = node->cluster;
      credential.node = node->id;
      credential.created_at = now;
      store::put_token(tx, credential);
      answer.credential = secret;
    }
    Session session;
    session.node = node->id;
    session.machine_id = hello.machine_id;
    session.boot_id = hello.boot_id;
    session.boot_started_at = boot_started(hello, now);
    session.hello_at = now;
    session.agent_version = hello.agent_version;
    session.stream = hello.stream;
    session.host = hello.host;
    session.shape = hello.shape;
    session.active = owned_active(node->id, hello.active);
    session.active_digest = hello.active_digest;
    session.active_at = now;
    answer.node_id = node->id;
    answer.epoch = store::open_session(tx, session);  // the node's own turn says what this makes of the node
    answer.heartbeat = options_.heartbeat;
    answer.expected = decide::expected_shape(*node, hello.shape);
    return answer;
  });
  if (reply) {
    {
      const std::lock_guard lock(mutex_);
      seen_[reply->node_id] = {reply->epoch, hello.active_digest, hello.stream, {}, true};
    }
    if (woken_) woken_();
  }
  return reply;
}

Result<wire::BatchReply> Intake::findings(std::string_view node, const wire::Batch& batch) {
  if (batch.findings.size() > kBatch) return fail(Errc::too_large, "more findings than a batch may have", "findings");
  for (const Finding& finding : batch.findings) SICKBAY_CHECK(check(finding));
  const std::vector<Finding> findings = owned(node, batch.findings);
  const Duration began = clock_.steady();
  const auto added = store_.write([&](store::Tx& tx) -> Result<std::size_t> {
    const Time now = store::now(tx);
    store::wake(tx, WorkKind::node, node, now);
    if (!store::get_node(tx, node)) return fail(Errc::not_found, "this node is not known any more");
    return store::add_findings(tx, node, batch.epoch, findings, now);
  });
  {
    const std::lock_guard lock(mutex_);
    lag_ = clock_.steady() - began;
  }
  SICKBAY_CHECK(added);
  if (woken_) woken_();
  return wire::BatchReply{batch.first_sequence + batch.findings.size() - (batch.findings.empty() ? 0 : 1)};
}

Result<Intake::Seen> Intake::current(std::string_view node) {
  const auto session =
      store_.read([&](store::Tx& tx) -> Result<std::optional<Session>> { return store::newest_session(tx, node); });
  SICKBAY_CHECK(session);
  if (!*session) return fail(Errc::changed, "no agent of this node has said hello; say hello first");
  return Seen{(*session)->epoch, (*session)->active_digest, (*session)->stream, {}, true};
}

Result<wire::HeartbeatReply> Intake::heartbeat(std::string_view node, const wire::Heartbeat& heartbeat) {
  std::optional<Seen> seen;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = seen_.find(node); found != seen_.end()) seen = found->second;
  }
  // Another replica may have taken a newer hello: what memory says is only believed when it agrees.
  if (!seen || seen->epoch != heartbeat.epoch) {
    SICKBAY_ASSIGN(seen, current(node));
  }
  if (heartbeat.epoch != seen->epoch) {
    if (heartbeat.stream != seen->stream) SICKBAY_CHECK(note_conflict(node, heartbeat));
    return fail(Errc::changed, "a newer session of this node's agent is known; say hello again");
  }
  if (heartbeat.active) {
    SICKBAY_CHECK(check_active(*heartbeat.active));
    const auto stored = store_.write([&](store::Tx& tx) -> Status {
      const Time now = store::now(tx);
      store::wake(tx, WorkKind::node, node, now);
      auto session = store::newest_session(tx, node);
      if (!session || session->epoch != heartbeat.epoch) return fail(Errc::changed, "a newer session is known");
      session->active = owned_active(node, *heartbeat.active);
      session->active_digest = heartbeat.active_digest;
      session->active_at = now;
      session->dropped = heartbeat.dropped;
      session->outbox = heartbeat.outbox;
      store::put_session(tx, *session);
      return {};
    });
    SICKBAY_CHECK(stored);
    seen->digest = heartbeat.active_digest;
    if (woken_) woken_();
  }
  wire::HeartbeatReply reply;
  reply.heartbeat = options_.heartbeat;
  reply.send_active = heartbeat.active_digest != seen->digest;
  const auto now = store_.now();
  SICKBAY_CHECK(now);
  const std::lock_guard lock(mutex_);
  seen->at = *now;
  seen->written = false;
  seen_.insert_or_assign(std::string(node), *seen);
  return reply;
}

// An agent of an older session with an outbox of its own still speaks: two machines claim to be this node.
Status Intake::note_conflict(std::string_view node, const wire::Heartbeat& heartbeat) {
  return store_.write([&](store::Tx& tx) -> Status {
    const Time now = store::now(tx);
    const auto known = store::get_node(tx, node);
    if (!known) return {};
    const bool noted = known->identity_conflict_at && now - *known->identity_conflict_at < kConflictNotedAgain;
    if (noted && known->identity_conflict) return {};
    store::wake(tx, WorkKind::node, node, now);
    Node next = *store::get_node(tx, node);
    const auto newest = store::newest_session(tx, node);
    if (!newest) return {};
    next.identity_conflict =
        fmt::format("two agents speak for this node: boot {} (session {}) and boot {} (session {})", newest->boot_id,
                    newest->epoch, truncate_utf8(to_utf8(heartbeat.boot_id), 64), heartbeat.epoch);
    next.identity_conflict_at = now;
    store::put_node(tx, next);
    return {};
  });
}

Status Intake::flush() {
  std::vector<store::Heartbeat> heartbeats;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [node, seen] : seen_) {
      if (seen.written) continue;
      heartbeats.push_back({node, seen.epoch, seen.at});
      seen.written = true;
    }
  }
  const auto written = store_.write([&](store::Tx& tx) -> Status {
    const Time now = store::now(tx);
    if (listening_since_ == Time{}) listening_since_ = now;
    store::put_listening(tx, options_.replica, listening_since_, now);
    if (!heartbeats.empty()) store::put_heartbeats(tx, heartbeats);
    return {};
  });
  if (!written) {  // they stay to be written
    const std::lock_guard lock(mutex_);
    for (const store::Heartbeat& heartbeat : heartbeats) seen_[heartbeat.node].written = false;
  }
  return written;
}

Duration Intake::lag() const {
  const std::lock_guard lock(mutex_);
  return lag_;
}

}  // namespace sickbay::engine
