#include "engine/ask.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/log.hpp"
#include "decide/same.hpp"
#include "model/plain.hpp"

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

constexpr Duration kOldestView = hours{1};  // whatever an adapter says: nothing is decided on such a view anyway
constexpr std::size_t kLongestName = 253;

Duration age_of(const NodeStatus& status) {
  return std::clamp(status.age, Duration{}, kOldestView);
}

template <class T>
T plain(T value) {
  make_plain(value);
  return value;
}
template <class T>
Result<T> plain(Result<T> answer) {
  if (!answer) make_plain(answer.error().message);
  return answer;
}

// Whether a name can be one: it is shown, stored, and asked for by it.
bool is_name(std::string_view name) {
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f'; };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, is_plain);
}

// A list in which a thing stands twice is broken: nobody knows which of the two is so. One whose name cannot be a name
// is left out, and said.
template <class T>
Status check_names(std::vector<T>& all, std::string T::* name, std::string_view what) {
  std::string odd;
  const auto left_out = std::erase_if(all, [&](const T& one) {
    if (is_name(one.*name)) return false;
    odd = one.*name;
    return true;
  });
  if (left_out > 0) {
    log::warn("{} of the {}s in a list are left out, because what they are called cannot be a name: '{}'", left_out,
              what, truncate_utf8(odd, kLongestName));
  }
  std::unordered_set<std::string_view> seen;
  seen.reserve(all.size());
  for (const T& one : all) {
    if (!seen.insert(one.*name).second) {
      return fail(Errc::invalid, fmt::format("the list has {} '{}' twice", what, one.*name));
    }
  }
  return {};
}

}  // namespace

Observation observe(Scheduler& scheduler, const Node& node, std::string_view name, Time at, Duration timeout) {
  NodeStatus status = scheduler.observe(node.name, timeout);
  if (status.error.empty() && status.name != node.name) {
    const std::string other = std::exchange(status, NodeStatus{}).name;
    status.error = fmt::format("asked for {}, it answered of '{}'", node.name, other);
  }
  status.name = node.name;
  make_plain(status);
  const Time seen_at = at - age_of(status);
  return observed(std::move(status), node, name, scheduler.capabilities().kind, seen_at);
}

OperationView observe(Provider& provider, const Operation& operation, Duration timeout) {
  return plain(provider.observe(operation, timeout));
}

Reply send(const Adapters& adapters, const Operation& operation, Duration timeout) {
  const Reply missing{Answer::not_sent, "", "no adapter '" + operation.adapter + "' is configured on this server", {}};
  if (operation.kind == OperationKind::act) {
    Provider* provider = adapters.provider(operation.cluster, operation.adapter);
    return provider ? plain(provider->start(operation, timeout)) : missing;
  }
  Scheduler* scheduler = adapters.scheduler(operation.cluster, operation.adapter);
  if (!scheduler) return missing;
  if (operation.kind == OperationKind::cordon) return plain(scheduler->cordon(operation, timeout));
  if (operation.kind == OperationKind::drain) return plain(scheduler->drain(operation, timeout));
  return plain(scheduler->uncordon(operation, timeout));
}

Reply cancel(Provider& provider, const Operation& operation, Duration timeout) {
  return plain(provider.cancel(operation, timeout));
}

Result<std::vector<NodeStatus>> list(Scheduler& scheduler, Duration timeout) {
  SICKBAY_ASSIGN(std::vector<NodeStatus> nodes, plain(scheduler.list(timeout)));
  SICKBAY_CHECK(check_names(nodes, &NodeStatus::name, "node"));
  for (NodeStatus& node : nodes) {
    node.age = age_of(node);
    make_plain(node);
  }
  return nodes;
}

Result<std::vector<ListedHost>> hosts(Provider& provider, Duration timeout) {
  SICKBAY_ASSIGN(std::vector<ListedHost> hosts, plain(provider.hosts(timeout)));
  SICKBAY_CHECK(check_names(hosts, &ListedHost::id, "host"));
  for (ListedHost& host : hosts) make_plain(host);
  return hosts;
}

Result<ProviderCapabilities> capabilities(Provider& provider, Duration timeout) {
  auto can = plain(provider.capabilities(timeout));
  if (can) make_plain(*can);
  return can;
}

// Not what changes all the time (who holds the node), nor how old the view is.
std::string digest_of(const NodeStatus& listed) {
  Digest digest;
  digest.add(listed.uid)
      .add(listed.pool)
      .add(listed.ready)
      .add(listed.registered)
      .add(listed.cordoned)
      .add(listed.hold_owner);
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
  return a.exists != b.exists || a.ready != b.ready || a.registered != b.registered || a.cordoned != b.cordoned ||
         a.hold_owner != b.hold_owner || a.foreign_mark != b.foreign_mark || a.uid != b.uid || a.kind != b.kind ||
         a.capacity != b.capacity || a.error != b.error || !decide::same(a.conditions, b.conditions) ||
         !decide::same(a.request, b.request);
}

}  // namespace sickbay::engine::ask
