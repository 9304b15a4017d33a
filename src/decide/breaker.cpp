// The circuit breaker of product.md 4.3: many nodes that turn unhealthy together have a common cause, and repairing
// them one by one would make it worse. It bars what is automatic and nothing else; a person resets it.
#include "decide/breaker.hpp"

#include <algorithm>

namespace sickbay::decide {

namespace {
constexpr Duration kMostNodesFor = hours{24};
}  // namespace

double breaker_limit(const Cluster& cluster, std::uint32_t nodes, double percent) {
  return std::max(3.0, percent / 100.0 * std::max(nodes, cluster.most_nodes_24h));
}

std::string trips_because(const Cluster& cluster, const BreakerPolicy& policy, std::uint32_t nodes,
                          const std::vector<Time>& turned_unhealthy, Time now) {
  // What turned before a reset was known to whoever reset it.
  const auto recent = std::ranges::count_if(turned_unhealthy, [&](Time at) {
    return at + kUnhealthyWindow >= now && (!cluster.breaker.reset_at || at > *cluster.breaker.reset_at);
  });
  if (static_cast<double>(recent) < breaker_limit(cluster, nodes, policy.unhealthy_percent)) return {};
  return fmt::format("{} of {} nodes turned unhealthy within 5 minutes: a common cause is likelier than node faults",
                     recent, std::max(nodes, cluster.most_nodes_24h));
}

Event open_breaker(Cluster& cluster, std::string why, Time now, Ids& ids) {
  cluster.breaker.open = true;
  cluster.breaker.why = why;
  cluster.breaker.opened_at = now;
  Event event = event_of(EventKind::breaker, ids.next("ev"), now,
                         "the circuit breaker opened: " + std::move(why) +
                             "; nothing is approved automatically until a person resets it with a reason");
  event.cluster = cluster.id;
  event.data["open"] = true;
  event.data["route"] = "operators";
  return event;
}

ClusterChanges cluster_turn(const ClusterFacts& facts, Time now, Ids& ids) {
  ClusterChanges out;
  Cluster cluster = facts.cluster;
  bool changed = false;
  const bool grown = facts.nodes >= cluster.most_nodes_24h;
  const bool old = cluster.most_nodes_at && *cluster.most_nodes_at + kMostNodesFor <= now;
  if (facts.nodes != cluster.most_nodes_24h && (grown || old || !cluster.most_nodes_at)) {
    cluster.most_nodes_24h = facts.nodes;
    cluster.most_nodes_at = now;
    changed = true;
  } else if (grown && (!cluster.most_nodes_at || *cluster.most_nodes_at + hours{1} <= now)) {
    cluster.most_nodes_at = now;  // still as many: the day counts from now
    changed = true;
  }
  if (!cluster.breaker.open) {
    std::string why = trips_because(cluster, facts.policy.policy.breaker, facts.nodes, facts.turned_unhealthy, now);
    if (!why.empty()) {
      out.events.push_back(open_breaker(cluster, std::move(why), now, ids));
      changed = true;
    }
  }
  if (facts.nodes < cluster.most_nodes_24h && cluster.most_nodes_at) out.due = *cluster.most_nodes_at + kMostNodesFor;
  if (changed) out.cluster = std::move(cluster);
  return out;
}

}  // namespace sickbay::decide
