#include "engine/ask.hpp"

#include <fmt/core.h>

#include "decide/same.hpp"

namespace sickbay::engine::ask {
namespace {

// FNV-1a: fast, and nobody gains by making two lists look alike.
class Digest {
 public:
  Digest& add(std::string_view text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(0x100);  // no text holds it, so that ("ab", "c") is not ("a", "bc")
    return *this;
  }
  Digest& add(bool flag) { return add(std::string_view(flag ? "1" : "0")); }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  void step(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3; }
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace

Observation observe(Scheduler& scheduler, const Node& node, std::string_view name, Time at, Duration timeout) {
  NodeStatus status = scheduler.observe(node.name, timeout);
  const Time seen_at = at - status.age;
  return observed(std::move(status), node, name, scheduler.capabilities().kind, seen_at);
}

OperationView observe(Provider& provider, const Operation& operation, Duration timeout) {
  return provider.observe(operation, timeout);
}

Reply send(const Adapters& adapters, const Operation& operation, Duration timeout) {
  const Reply missing{Answer::not_sent, "", "no adapter '" + operation.adapter + "' is configured on this server", {}};
  if (operation.kind == OperationKind::act) {
    Provider* provider = adapters.provider(operation.cluster, operation.adapter);
    return provider ? provider->start(operation, timeout) : missing;
  }
  Scheduler* scheduler = adapters.scheduler(operation.cluster, operation.adapter);
  if (!scheduler) return missing;
  if (operation.kind == OperationKind::cordon) return scheduler->cordon(operation, timeout);
  if (operation.kind == OperationKind::drain) return scheduler->drain(operation, timeout);
  return scheduler->uncordon(operation, timeout);
}

Reply cancel(Provider& provider, const Operation& operation, Duration timeout) {
  return provider.cancel(operation, timeout);
}

Result<std::vector<NodeStatus>> list(Scheduler& scheduler, Duration timeout) {
  return scheduler.list(timeout);
}

Result<std::vector<ListedHost>> hosts(Provider& provider, Duration timeout) {
  return provider.hosts(timeout);
}

Result<ProviderCapabilities> capabilities(Provider& provider, Duration timeout) {
  return provider.capabilities(timeout);
}

// Not what changes all the time (who holds the node), nor how old the view is.
std::string digest_of(const NodeStatus& listed) {
  Digest digest;
  digest.add(listed.uid).add(listed.pool).add(listed.ready).add(listed.cordoned).add(listed.hold_owner);
  digest.add(listed.foreign_mark);
  for (const auto& [key, value] : listed.labels) digest.add(key).add(value);
  for (const auto& [key, value] : listed.capacity) digest.add(key).add(std::to_string(value));
  for (const Condition& condition : listed.conditions) {
    digest.add(condition.type).add(condition.status).add(condition.reason).add(condition.message);
  }
  if (listed.request) {
    const LabelRequest& asked = *listed.request;
    digest.add(name_of(asked.action)).add(asked.detector).add(asked.request_id).add(asked.reason).add(asked.evidence);
  }
  return digest.text();
}

Observation observed(NodeStatus status, const Node& node, std::string_view scheduler, SchedulerKind kind, Time at) {
  Observation next;
  static_cast<NodeStatus&>(next) = std::move(status);
  next.labels.clear();  // they are the node's
  next.age = {};
  next.node = node.id;
  next.scheduler = scheduler;
  next.kind = kind;
  next.seen_at = at;
  return next;
}

bool differs(const Observation& a, const Observation& b) {
  return a.exists != b.exists || a.ready != b.ready || a.cordoned != b.cordoned || a.hold_owner != b.hold_owner ||
         a.foreign_mark != b.foreign_mark || a.uid != b.uid || a.kind != b.kind || a.capacity != b.capacity ||
         a.error != b.error || !decide::same(a.conditions, b.conditions) || !decide::same(a.request, b.request);
}

}  // namespace sickbay::engine::ask
