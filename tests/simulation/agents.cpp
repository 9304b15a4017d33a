// What pretended agents say, and when.
#include "tests/simulation/agents.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "rules/faults.hpp"
#include "store/nodes.hpp"
#include "store/people.hpp"

namespace sickbay::simulation {

Knowledge::Knowledge() : faults(rules::default_faults()) {}

Agents::Agents(const Plan& plan, simworld::World& world, store::Store& store, const Knowledge& knowledge,
               Random& random, Trace trace)
    : plan_(plan), world_(world), store_(store), knowledge_(knowledge), random_(random), trace_(std::move(trace)) {}

std::optional<Time> Agents::next() const {
  std::optional<Time> first;
  const auto consider = [&](const std::optional<Time>& at) {
    if (at && (!first || *at < *first)) first = at;
  };
  for (const auto& [name, agent] : agents_) {
    if (!agent.up) continue;
    consider(agent.hello_at), consider(agent.silent_until);
    if (agent.epoch == 0) continue;
    consider(agent.beat_at);
    if (!agent.queue.empty()) consider(agent.send_at);
  }
  return first;
}

std::vector<ActiveFault> Agents::active_of(const Agent& agent) const {
  std::vector<ActiveFault> active;
  for (const auto& [key, fault] : agent.active) active.push_back(fault);
  return active;
}

std::vector<Agents::Holding> Agents::holding() const {
  std::vector<Holding> all;
  for (const auto& [name, agent] : agents_) {
    all.push_back({name, agent.epoch, agent.up && agent.epoch != 0, active_of(agent)});
  }
  return all;
}

Token Agents::ticket(const std::string& node, Time now) {
  Token token;
  token.id = fmt::format("ticket-{}", ++made_);
  token.hash = sha256_hex(token.id);
  token.purpose = TokenPurpose::ticket;
  token.cluster = "default";
  token.created_at = now;
  (void)store_.write([&](store::Tx& tx) -> Status {
    if (const auto known = store::find_node(tx, "default", node)) token.node = known->id;
    store::put_token(tx, token);
    return {};
  });
  return token;
}

void Agents::act(Time now, engine::Intake* intake, bool calm) {
  for (const auto& [name, node] : world_.state().nodes) {
    if (node.removed) agents_.erase(name);
    if (node.removed) continue;
    Agent& agent = agents_[name];
    const bool up = node.up && node.listed;
    if (!up) {
      agent.up = false;
      continue;
    }
    if (agent.boot != node.boot) start(agent, node, now);
    agent.up = true;
    read_log(agent, node, now, calm);
    if (!intake) continue;
    if (agent.silent_until) {
      if (*agent.silent_until > now && !calm) continue;
      agent.silent_until.reset();
    }
    if (agent.hello_at && *agent.hello_at <= now) hello(agent, now, *intake);
    if (agent.epoch == 0) continue;
    if (!agent.queue.empty() && *agent.send_at <= now) send(agent, now, *intake);
    if (agent.epoch != 0 && *agent.beat_at <= now) {
      beat(agent, now, *intake);
      if (!calm) misbehave(agent, now, *intake);
    }
  }
}

void Agents::start(Agent& agent, const simworld::NodeState& node, Time now) {
  if (!agent.boot.empty()) {
    Agent& old = old_[node.name];
    old.node = agent.node, old.id = agent.id, old.epoch = agent.epoch, old.stream = agent.stream, old.boot = agent.boot;
    old.first = agent.first, old.queue = agent.queue, old.token = agent.token;
  }
  const bool wiped = agent.machine != node.machine || random_.chance(plan_.wiped);
  agent.node = node.name, agent.boot = node.boot, agent.boot_at = node.boot_at, agent.host = node.host;
  agent.epoch = 0, agent.cursor = 0;
  agent.clock_off = random_.chance(plan_.wrong_clock) ? random_.between(-minutes{15}, minutes{15}) : Duration{};
  agent.active.clear();
  agent.context = std::make_unique<rules::Context>(node.boot);
  if (wiped) {
    agent.machine = node.machine;
    agent.stream = fmt::format("stream-{}-{}", node.name, ++made_);
    agent.first = 1;
    agent.queue.clear();
    agent.token.reset();
  }
  agent.hello_at = std::max(now, node.boot_at) + random_.between(milliseconds{500}, seconds{8});
}

void Agents::read_log(Agent& agent, const simworld::NodeState& node, Time now, bool calm) {
  for (const simworld::LogRecord& record : node.log) {
    if (record.sequence < agent.cursor) continue;
    agent.cursor = record.sequence + 1;
    if (record.level > 4 || record.text.starts_with("nvidia:")) continue;  // the healthy boot's; not worth its time
    const auto parsed = rules::parse_kmsg(simworld::raw_record(record));
    std::uint64_t ordinal = 0;
    for (Finding& finding : knowledge_.log.read(*parsed, *agent.context)) {
      finding.id = sha256_hex(fmt::format("{}/{}/{}", agent.boot, record.sequence, ordinal++));
      finding.boot_id = agent.boot;
      finding.since_boot_us = record.since_boot_us;
      if (finding.kind == FindingKind::fault) {
        ActiveFault& active = agent.active[finding.fault.text() + "@" + finding.device];
        if (active.first.id.empty()) active.first = finding, active.count = 0;
        active.last = finding;
        ++active.count;
      }
      if (agent.queue.empty()) {
        const bool late = !calm && random_.chance(plan_.late_findings);
        agent.send_at = now + (late ? random_.between(seconds{1}, minutes{2}) : milliseconds{5});
      }
      agent.queue.push_back(std::move(finding));
    }
  }
}

void Agents::hello(Agent& agent, Time now, engine::Intake& intake) {
  if (!agent.token) agent.token = ticket(agent.node, now);
  wire::Hello hello;
  hello.cluster = "default", hello.node = agent.node;
  hello.machine_id = agent.machine, hello.boot_id = agent.boot, hello.boot_started_at = agent.boot_at;
  hello.up = now - agent.boot_at;
  hello.boot_started_at += agent.clock_off;
  hello.host = agent.host, hello.stream = agent.stream, hello.next_sequence = agent.first;
  hello.shape = {"8x10de:2330", 8};
  hello.active = active_of(agent);
  hello.active_digest = fmt::format("{}-{}", agent.boot, agent.active.size());
  const auto reply = intake.hello(hello, *agent.token);
  if (!reply) {
    trace_(fmt::format("agent {}: hello refused: {}", agent.node, reply.error().message));
    if (agent.token->purpose == TokenPurpose::ticket || reply.error().code != Errc::unavailable) agent.token.reset();
    agent.hello_at = now + random_.between(seconds{1}, seconds{10});
    return;
  }
  trace_(fmt::format("agent {}: hello of boot {}, epoch {}", agent.node, agent.boot, reply->epoch));
  agent.epoch = reply->epoch;
  agent.id = reply->node_id;
  agent.hello_at.reset();
  if (!reply->credential.empty()) {
    const auto token = store_.read([&](store::Tx& tx) -> Result<std::optional<Token>> {
      return store::find_token(tx, sha256_hex(reply->credential));
    });
    if (token) agent.token = *token;
  }
  agent.beat_at = now + reply->heartbeat;
  if (!agent.send_at) agent.send_at = now;
  while (!agent.queue.empty() && agent.first <= reply->acked) agent.queue.pop_front(), ++agent.first;
}

void Agents::send(Agent& agent, Time now, engine::Intake& intake) {
  wire::Batch batch;
  batch.epoch = agent.epoch, batch.stream = agent.stream, batch.first_sequence = agent.first;
  batch.findings.assign(agent.queue.begin(), agent.queue.end());
  const auto reply = intake.findings(agent.id, batch);
  if (!reply) {
    trace_(fmt::format("agent {}: findings refused: {}", agent.node, reply.error().message));
    if (reply.error().code == Errc::changed) agent.epoch = 0, agent.hello_at = now + seconds{1};
    agent.send_at = now + random_.between(seconds{1}, seconds{5});
    return;
  }
  trace_(fmt::format("agent {}: {} findings, acked {}", agent.node, batch.findings.size(), reply->acked));
  const bool reply_lost = random_.chance(plan_.late_findings / 4);  // it will send them again
  while (!reply_lost && !agent.queue.empty() && agent.first <= reply->acked) agent.queue.pop_front(), ++agent.first;
  agent.send_at = now + seconds{1};
}

void Agents::beat(Agent& agent, Time now, engine::Intake& intake) {
  wire::Heartbeat heartbeat;
  heartbeat.epoch = agent.epoch, heartbeat.boot_id = agent.boot, heartbeat.stream = agent.stream;
  heartbeat.active_digest = fmt::format("{}-{}", agent.boot, agent.active.size());
  for (int tries = 0; tries < 2; ++tries) {
    const auto reply = intake.heartbeat(agent.id, heartbeat);
    if (!reply) {
      trace_(fmt::format("agent {}: heartbeat refused: {}", agent.node, reply.error().message));
      if (reply.error().code == Errc::changed) agent.epoch = 0, agent.hello_at = now + seconds{1};
      agent.beat_at = now + seconds{5};
      return;
    }
    agent.beat_at = now + reply->heartbeat;
    if (!reply->send_active || heartbeat.active) return;
    heartbeat.active = active_of(agent);
  }
}

void Agents::misbehave(Agent& agent, Time now, engine::Intake& intake) {
  if (random_.chance(plan_.silence)) agent.silent_until = now + random_.between(minutes{1}, minutes{8});
  Agent& old = old_[agent.node];
  if (old.epoch != 0 && random_.chance(plan_.old_session)) {
    // The backlog of an earlier boot, after the new boot has said hello.
    trace_(fmt::format("agent {}: backlog of the old boot {}", agent.node, old.boot));
    send(old, now, intake);
    old.epoch = 0;
  }
  if (random_.chance(plan_.clone)) {
    trace_(fmt::format("agent {}: a clone says hello", agent.node));
    wire::Hello hello;
    hello.cluster = "default", hello.node = agent.node;
    hello.machine_id = agent.machine, hello.boot_id = agent.boot + "-clone", hello.boot_started_at = now;
    hello.host = agent.host, hello.stream = agent.stream + "-clone";
    hello.shape = {"8x10de:2330", 8};
    (void)intake.hello(hello, *agent.token);
  }
}

}  // namespace sickbay::simulation
