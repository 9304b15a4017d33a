#include "engine/facts.hpp"

#include <algorithm>

#include "decide/decide.hpp"
#include "decide/session.hpp"
#include "decide/windows.hpp"
#include "model/json.hpp"
#include "store/alerts.hpp"
#include "store/clock_steps.hpp"
#include "store/clusters.hpp"
#include "store/findings.hpp"
#include "store/hosts.hpp"
#include "store/nodes.hpp"
#include "store/observations.hpp"
#include "store/operations.hpp"
#include "store/policies.hpp"
#include "store/repairs.hpp"
#include "store/restore.hpp"
#include "store/sessions.hpp"
#include "store/sync.hpp"

namespace sickbay::engine {
namespace {

constexpr std::size_t kFindingsPerTurn = 500;  // more stay for the next turn

std::uint32_t spares_for(store::Tx& tx, const Node& node, const std::optional<Session>& session, Time now) {
  const Shape shape = decide::expected_shape(node, session ? session->shape : Shape{});
  return store::count_spares(tx, node.cluster, shape.name, node.pool, now - decide::kSpareChecked);
}

// Each admitted repair holds one slot of the cluster.
std::vector<Repair> holders_of(store::Tx& tx, const std::vector<Slot>& slots) {
  std::vector<Repair> holders;
  for (const Slot& slot : slots) {
    if (slot.scope.pool) continue;
    if (auto repair = store::get_repair(tx, slot.repair)) holders.push_back(std::move(*repair));
  }
  return holders;
}

std::vector<Time> turned_unhealthy(store::Tx& tx, std::string_view cluster, Time now) {
  std::vector<Time> times;
  for (const auto& [node, at] : store::unhealthy_nodes(tx, cluster, now - decide::kUnhealthyWindow))
    times.push_back(at);
  return times;
}

// Not resolved ones, the open repair's, and the host's of the last days; each once.
std::vector<Alert> alerts_of(store::Tx& tx, std::string_view node, std::string_view host,
                             const std::optional<Repair>& repair, Time now) {
  std::vector<Alert> alerts = store::open_alerts_of_node(tx, node);
  const auto add = [&](std::vector<Alert> more) {
    for (Alert& alert : more) {
      const bool there = std::ranges::any_of(alerts, [&](const Alert& known) { return known.id == alert.id; });
      if (!there) alerts.push_back(std::move(alert));
    }
  };
  if (repair && !repair->alerts.empty()) add(store::alerts_by_id(tx, repair->alerts));
  if (!host.empty()) add(store::alerts_of_host_resolved_since(tx, host, now - decide::kEvidenceWindow));
  return alerts;
}

std::vector<Operation> operations_of(store::Tx& tx, const Node& node, const std::optional<Repair>& repair, Time now) {
  std::vector<Operation> operations;
  if (repair) operations = store::operations_of_repair(tx, repair->id);
  for (Operation& recent : store::operations_of_node_since(tx, node.id, now - decide::kConcludedSeen)) {
    const bool there = std::ranges::any_of(operations, [&](const Operation& known) { return known.id == recent.id; });
    if (!there) operations.push_back(std::move(recent));
  }
  return operations;
}

// A row that the last complete list agreed with was seen when that list was. Not while the node is worked on: a list
// says nothing of whether it is idle.
std::vector<Observation> observations_of(store::Tx& tx, const Node& node, const std::optional<Repair>& repair) {
  std::vector<Observation> observed = store::observations_of(tx, node.id);
  if (repair && repair->admitted_at) return observed;
  const auto confirmed = store::confirmed_by_lists(tx, node.cluster, node.id);
  for (Observation& look : observed) {
    const auto listed = confirmed.find(look.scheduler);
    if (listed != confirmed.end()) look.seen_at = std::max(look.seen_at, listed->second);
  }
  return observed;
}

template <class Capabilities>
std::optional<Capabilities> read_capabilities(const std::string& text) {
  if (text.empty()) return std::nullopt;
  auto can = from_json_text<Capabilities>(text);
  return can ? std::optional(std::move(*can)) : std::nullopt;
}

void add_adapters(store::Tx& tx, decide::NodeFacts& facts) {
  for (const store::Adapter& adapter : store::adapters_of(tx, facts.node.cluster)) {
    const bool provides = adapter.name == facts.node.provider;
    if (provides) facts.provider = read_capabilities<ProviderCapabilities>(adapter.capabilities);
    const auto& schedulers = facts.node.schedulers;
    const bool schedules = std::ranges::find(schedulers, adapter.name) != schedulers.end();
    if (schedules) {
      if (auto can = read_capabilities<SchedulerCapabilities>(adapter.capabilities)) {
        facts.schedulers[adapter.name] = std::move(*can);
      }
    }
    const bool concerns = provides || schedules;
    if (concerns && adapter.unreachable_since) {
      facts.unreachable[adapter.name] = {*adapter.unreachable_since, adapter.error};
    }
  }
}

// Who else is on the node's host, and on the one that its repair left: what is done to a host is done to all of them.
void add_neighbours(store::Tx& tx, std::string_view under, decide::NodeFacts& facts) {
  const auto others = [&](std::string_view host) {
    std::vector<std::string> names;
    if (host.empty()) return names;
    for (const Node& node : store::nodes_of_host(tx, facts.node.cluster, host)) {
      if (node.id != facts.node.id) names.push_back(node.name);
    }
    return names;
  };
  // Of any cluster, as the unique index has it: else the turn would plan what cannot be written, again and again.
  for (const Operation& act : under.empty() ? std::vector<Operation>{} : store::open_acts_on_host(tx, under)) {
    if (act.node != facts.node.id) facts.host_busy_with = act.node_name;
  }
  facts.host_shared_with = others(under);
  if (facts.host_before) facts.host_before_shared_with = others(facts.host_before->id);
}

// A mark may be another copy's of this database, or of a repair that a restored one has never heard of.
std::map<std::string, std::string> unknown_marks(store::Tx& tx, const decide::NodeFacts& facts) {
  std::map<std::string, std::string> unknown;
  for (const Observation& look : facts.observed) {
    if (look.hold_owner.empty() || (facts.repair && facts.repair->id == look.hold_owner)) continue;
    if (!store::get_repair(tx, look.hold_owner)) unknown[look.scheduler] = look.hold_owner;
  }
  return unknown;
}

// The database says to all replicas at once whether a person must confirm it and whether its clock has stepped; the
// rest is this replica's.
decide::SafetyState caution(store::Tx& tx, Time now, const store::ClockSteps& steps, const Loading& loading) {
  decide::SafetyState caution = loading.caution;
  caution.observe_only = store::observe_only_because(tx).has_value();
  caution.deadlines_frozen = caution.deadlines_frozen || (steps.last_at && now - *steps.last_at <= kTrustAgain);
  return caution;
}

}  // namespace

std::optional<ProviderCapabilities> load_capabilities(store::Tx& tx, std::string_view cluster,
                                                      std::string_view provider) {
  const auto adapter = store::get_adapter(tx, cluster, provider);
  return adapter ? read_capabilities<ProviderCapabilities>(adapter->capabilities) : std::nullopt;
}

std::optional<decide::NodeFacts> load_node_facts(store::Tx& tx, std::string_view id, Time now, const Loading& loading) {
  auto node = store::get_node(tx, id);
  if (!node) return std::nullopt;
  decide::NodeFacts facts;
  facts.node = std::move(*node);
  facts.session = store::newest_session(tx, id);
  const std::string host = decide::host_under(facts.node, facts.session);
  if (!host.empty()) facts.host = store::get_host(tx, host).value_or(Host{});
  facts.cluster = store::get_cluster(tx, facts.node.cluster).value_or(Cluster{});
  facts.policy = store::current_policy(tx, facts.node.cluster);
  facts.faults = loading.faults.with(facts.policy.policy.faults);
  if (facts.session) facts.last_heartbeat = store::last_heartbeat(tx, id, facts.session->epoch);
  facts.listening_since = store::listening_since(tx, now);
  facts.heartbeat_interval = loading.options.heartbeat;
  for (store::StoredFinding& finding : store::unfolded_findings(tx, id, kFindingsPerTurn)) {
    facts.fresh.push_back({std::move(finding.finding), finding.epoch, finding.received_at});
  }
  facts.more_fresh = facts.fresh.size() == kFindingsPerTurn;
  facts.repair = store::open_repair_of(tx, id);
  facts.alerts = alerts_of(tx, id, host, facts.repair, now);
  if (facts.repair && !facts.repair->host_before.empty() && facts.repair->host_before != host) {
    facts.host_before = store::get_host(tx, facts.repair->host_before);
  }
  facts.history = store::ended_repairs(tx, id, host, now - decide::kEvidenceWindow);
  facts.operations = operations_of(tx, facts.node, facts.repair, now);
  facts.holds = store::holds_of(tx, id);
  facts.observed = observations_of(tx, facts.node, facts.repair);
  facts.unknown_marks = unknown_marks(tx, facts);
  facts.spares = spares_for(tx, facts.node, facts.session, now);
  add_adapters(tx, facts);
  add_neighbours(tx, host, facts);
  const store::ClockSteps steps = store::clock_steps(tx);
  facts.caution = caution(tx, now, steps, loading);
  facts.clock_steps = steps.total;
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
  const Time silent_before = now - decide::kSilentIntervals * loading.options.heartbeat;  // product.md 3.3: AgentSilent
  facts.nodes = store::count_nodes(tx, cluster.id);
  facts.out_of_service = store::count_out_of_service(tx, cluster.id, node.id, silent_before);
  facts.node_out_of_service = store::count_out_of_service(tx, cluster.id, "", silent_before) > facts.out_of_service;
  facts.slots = store::slots_of(tx, cluster.id);
  facts.turned_unhealthy = turned_unhealthy(tx, cluster.id, now);
  const std::uint32_t spares = spares_for(tx, node, {}, now);  // a turn came before: the node has its shape
  facts.spares = spares - std::min(spares, decide::reserved_spares(holders_of(tx, facts.slots), facts.repair.id));
  facts.caution = caution(tx, now, store::clock_steps(tx), loading);
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
