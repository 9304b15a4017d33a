// The commands that concern a cluster: policy, breaker, adopting and forgetting it; and opting a node out.
#include <fmt/core.h>

#include "engine/commands.hpp"
#include "engine/write.hpp"
#include "store/clusters.hpp"
#include "store/nodes.hpp"
#include "store/policies.hpp"
#include "store/repairs.hpp"
#include "store/work.hpp"

namespace sickbay::engine {
namespace {

tl::unexpected<Error> no_cluster(std::string_view id) {
  return fail(Errc::not_found, fmt::format("there is no cluster '{}'", id));
}

Event said(std::string_view cluster, EventKind kind, const decide::Person& who, std::string message, Time now,
           std::string id) {
  Event event = event_of(kind, std::move(id), now, std::move(message), who.name);
  event.cluster = cluster;
  return event;
}

}  // namespace

Result<PolicyVersion> Commands::put_policy(std::string_view cluster, const Policy& policy, const decide::Person& who,
                                           std::string_view comment, std::optional<std::uint64_t> expected_version) {
  if (const decide::PolicyCheck check = decide::check_policy(policy); !check.errors.empty()) {
    return tl::unexpected<Error>(check.errors.front());
  }
  const std::string event_id = ids_.next("ev");
  const auto stored = store_.write([&](store::Tx& tx) -> Result<PolicyVersion> {
    auto known = store::lock_cluster(tx, cluster);
    if (!known) return no_cluster(cluster);
    const PolicyVersion current = store::current_policy(tx, cluster);
    if (expected_version && *expected_version != current.version) {
      return fail(Errc::changed, fmt::format("the policy is at version {} (by {}), not {}; read it again",
                                             current.version, current.changed_by, *expected_version));
    }
    const Time now = store::now(tx);
    const PolicyVersion next{std::string(cluster), current.version + 1, policy, who.name, std::string(comment), now};
    store::add_policy(tx, next);
    known->policy_version = next.version;
    store::put_cluster(tx, *known);
    // Every node may decide differently now.
    std::vector<std::string> nodes;
    for (const Node& node : store::list_nodes(tx, cluster)) nodes.push_back(node.id);
    store::wake_all(tx, WorkKind::node, std::move(nodes), now);
    write_events(tx, {said(cluster, EventKind::policy, who,
                           fmt::format("policy version {} by {}", next.version, who.name), now, event_id)});
    return next;
  });
  if (stored && woken_) woken_();
  return stored;
}

Result<Cluster> Commands::reset_breaker(std::string_view cluster, const decide::Person& who, std::string_view reason) {
  if (reason.empty()) return fail(Errc::invalid, "say why the breaker may be closed", "reason");
  const std::string event_id = ids_.next("ev");
  const auto reset = store_.write([&](store::Tx& tx) -> Result<Cluster> {
    auto known = store::lock_cluster(tx, cluster);
    if (!known) return no_cluster(cluster);
    if (!known->breaker.open) return *known;
    const Time now = store::now(tx);
    known->breaker.open = false;
    known->breaker.reset_at = now;
    known->breaker.reset_by = who.name;
    known->breaker.reset_reason = reason;
    store::put_cluster(tx, *known);
    store::wake(tx, WorkKind::cluster, cluster, now);  // its turn wakes what waits for it
    write_events(tx, {said(cluster, EventKind::breaker, who,
                           fmt::format("circuit breaker reset by {}: {}", who.name, reason), now, event_id)});
    return *known;
  });
  if (reset && woken_) woken_();
  return reset;
}

Result<Node> Commands::set_auto_repair(std::string_view id, bool on, const decide::Person& who) {
  const std::string event_id = ids_.next("ev");
  const auto set = store_.write([&](store::Tx& tx) -> Result<Node> {
    const Time now = store::now(tx);
    store::wake(tx, WorkKind::node, id, now);
    auto node = store::get_node(tx, id);
    if (!node) return fail(Errc::not_found, fmt::format("there is no node '{}'", id));
    if (node->auto_repair == on) return *node;
    node->auto_repair = on;
    store::put_node(tx, *node);
    Event event = said(node->cluster, EventKind::node, who,
                       fmt::format("automatic repair of {} turned {} by {}", node->name, on ? "on" : "off", who.name),
                       now, event_id);
    event.node = node->id;
    event.node_name = node->name;
    write_events(tx, {event});
    return *node;
  });
  if (set && woken_) woken_();
  return set;
}

Result<Cluster> Commands::adopt(const Cluster& cluster, const decide::Person& who) {
  if (cluster.id.empty() || cluster.name.empty()) return fail(Errc::invalid, "a cluster needs a name", "cluster_name");
  const std::string event_id = ids_.next("ev");
  const auto adopted = store_.write([&](store::Tx& tx) -> Result<Cluster> {
    if (const auto known = store::get_cluster(tx, cluster.id)) return *known;
    const Time now = store::now(tx);
    Cluster next = cluster;
    next.created_at = now;
    store::put_cluster(tx, next);
    store::wake(tx, WorkKind::sync, next.id, now);
    store::wake(tx, WorkKind::cluster, next.id, now);
    store::wake(tx, WorkKind::publish, "events", now);
    write_events(tx, {said(next.id, EventKind::cluster, who,
                           fmt::format("cluster {} adopted by {}", next.name, who.name), now, event_id)});
    return next;
  });
  if (adopted && woken_) woken_();
  return adopted;
}

Status Commands::forget(std::string_view cluster, const decide::Person& who) {
  const std::string event_id = ids_.next("ev");
  return store_.write([&](store::Tx& tx) -> Status {
    const auto known = store::lock_cluster(tx, cluster);
    if (!known) return no_cluster(cluster);
    if (const auto open = store::nodes_with_open_repairs(tx, cluster); !open.empty()) {
      return fail(Errc::conflict, fmt::format("{} nodes of '{}' are being repaired; end these repairs first",
                                              open.size(), known->name));
    }
    const Time now = store::now(tx);
    store::delete_cluster(tx, cluster);
    write_events(tx, {said(cluster, EventKind::cluster, who,
                           fmt::format("cluster {} forgotten by {}", known->name, who.name), now, event_id)});
    return {};
  });
}

}  // namespace sickbay::engine
