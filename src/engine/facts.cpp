#include "engine/facts.hpp"

#include <algorithm>

#include "store/alerts.hpp"
#include "store/nodes.hpp"
#include "store/repairs.hpp"

namespace sickbay::engine {
namespace {

constexpr Duration kEvidenceKept = hours{24 * 10};       // product.md 4 rule 3: evidence for migrate
constexpr Duration kSpareCheckedWithin = hours{24 * 7};  // product.md 4.3: capacity
constexpr Duration kUnhealthyWindow = minutes{5};        // product.md 4.3: breaker
constexpr Duration kConcludedSeen = minutes{10};         // what Sickbay itself just did is not a finding
constexpr Duration kConflictOver = minutes{10};
constexpr std::size_t kFindingsPerTurn = 500;  // more stay for the next turn

std::uint32_t spares_for(store::Tx& tx, const Node& node, Time now) {
  return store::count_spares(tx, node.cluster, node.shape.name, node.pool, now - kSpareCheckedWithin);
}

// Spares that migrates already admitted have not moved to yet.
std::uint32_t spoken_for(store::Tx& tx, const std::vector<Slot>& slots, std::string_view except) {
  std::uint32_t count = 0;
  for (const Slot& slot : slots) {
    if (slot.scope != "cluster" || slot.repair == except) continue;
    const auto repair = store::get_repair(tx, slot.repair);
    if (repair && repair->action == Action::migrate && repair->step <= RepairStep::act) ++count;
  }
  return count;
}

std::vector<Time> turned_unhealthy(store::Tx& tx, std::string_view cluster, Time now) {
  std::vector<Time> times;
  for (const auto& [node, at] : store::unhealthy_nodes(tx, cluster, now - kUnhealthyWindow)) times.push_back(at);
  return times;
}

// Not resolved ones, the open repair's, and the host's of the last days; each once.
std::vector<Alert> alerts_of(store::Tx& tx, const Node& node, const std::optional<Repair>& repair, Time now) {
  std::vector<Alert> alerts = store::open_alerts_of_node(tx, node.id);
  const auto add = [&](std::vector<Alert> more) {
    for (Alert& alert : more) {
      const bool there = std::ranges::any_of(alerts, [&](const Alert& known) { return known.id == alert.id; });
      if (!there) alerts.push_back(std::move(alert));
    }
  };
  if (repair && !repair->alerts.empty()) add(store::alerts_by_id(tx, repair->alerts));
  if (!node.host.empty()) add(store::alerts_of_host_resolved_since(tx, node.host, now - kEvidenceKept));
  return alerts;
}

std::vector<Operation> operations_of(store::Tx& tx, const Node& node, const std::optional<Repair>& repair, Time now) {
  std::vector<Operation> operations;
  if (repair) operations = store::operations_of_repair(tx, repair->id);
  for (Operation& recent : store::operations_of_node_since(tx, node.id, now - kConcludedSeen)) {
    const bool there = std::ranges::any_of(operations, [&](const Operation& known) { return known.id == recent.id; });
    if (!there) operations.push_back(std::move(recent));
  }
  return operations;
}

}  // namespace

std::optional<decide::NodeFacts> load_node_facts(store::Tx& tx, std::string_view id, Time now, const Loading& loading) {
  auto node = store::get_node(tx, id);
  if (!node) return std::nullopt;
  decide::NodeFacts facts;
  facts.node = std::move(*node);
  if (facts.node.identity_conflict && now - facts.node.identity_conflict_at.value_or(now) > kConflictOver) {
    facts.node.identity_conflict.reset();
    facts.node.identity_conflict_at.reset();
  }
  if (!facts.node.host.empty()) facts.host = store::get_host(tx, facts.node.host).value_or(Host{});
  facts.cluster = store::get_cluster(tx, facts.node.cluster).value_or(Cluster{});
  facts.policy = store::current_policy(tx, facts.node.cluster);
  facts.faults = loading.faults.with(facts.policy.policy.faults);
  facts.session = store::newest_session(tx, id);
  if (facts.session) facts.last_heartbeat = store::last_heartbeat(tx, id, facts.session->epoch);
  facts.listening_since = store::listening_since(tx, now);
  facts.heartbeat_interval = loading.options.heartbeat;
  for (store::StoredFinding& finding : store::unfolded_findings(tx, id, kFindingsPerTurn)) {
    facts.fresh.push_back({std::move(finding.finding), finding.epoch, finding.received_at});
  }
  facts.repair = store::open_repair_of(tx, id);
  facts.alerts = alerts_of(tx, facts.node, facts.repair, now);
  if (facts.repair && !facts.repair->host_before.empty() && facts.repair->host_before != facts.node.host) {
    facts.host_before = store::get_host(tx, facts.repair->host_before);
  }
  facts.history = store::ended_repairs(tx, id, facts.node.host, now - kEvidenceKept);
  facts.operations = operations_of(tx, facts.node, facts.repair, now);
  facts.holds = store::holds_of(tx, id);
  facts.observed = store::observations_of(tx, id);
  facts.spares = spares_for(tx, facts.node, now);
  if (const Provider* provider = loading.world.provider(facts.node.provider)) {
    const ProviderCapabilities capabilities = provider->capabilities();
    facts.provider_actions = capabilities.actions;
    facts.provider_fenced = capabilities.dedup_by_operation_id || capabilities.fenced_by_boot;
  }
  facts.caution = loading.caution;
  return facts;
}

std::optional<decide::AdmissionFacts> load_admission_facts(store::Tx& tx, const Cluster& cluster, const Node& node,
                                                           Time now, const Loading& loading) {
  auto repair = store::open_repair_of(tx, node.id);
  if (!repair) return std::nullopt;
  decide::AdmissionFacts facts;
  facts.cluster = cluster;
  facts.policy = store::current_policy(tx, cluster.id);
  facts.node = node;
  facts.alerts = store::alerts_by_id(tx, repair->alerts);
  facts.repair = std::move(*repair);
  const Time silent_before = now - 5 * loading.options.heartbeat;  // product.md 3.3: AgentSilent
  facts.nodes = store::count_nodes(tx, cluster.id);
  facts.out_of_service = store::count_out_of_service(tx, cluster.id, node.id, silent_before);
  facts.node_out_of_service = store::count_out_of_service(tx, cluster.id, "", silent_before) > facts.out_of_service;
  facts.slots = store::slots_of(tx, cluster.id);
  facts.turned_unhealthy = turned_unhealthy(tx, cluster.id, now);
  const std::uint32_t spares = spares_for(tx, node, now);
  facts.spares = spares - std::min(spares, spoken_for(tx, facts.slots, facts.repair.id));
  facts.caution = loading.caution;
  return facts;
}

std::optional<decide::ClusterFacts> load_cluster_facts(store::Tx& tx, const Cluster& cluster, Time now) {
  decide::ClusterFacts facts;
  facts.cluster = cluster;
  facts.policy = store::current_policy(tx, cluster.id);
  facts.nodes = store::count_nodes(tx, cluster.id);
  facts.turned_unhealthy = turned_unhealthy(tx, cluster.id, now);
  return facts;
}

}  // namespace sickbay::engine
