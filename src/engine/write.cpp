#include "engine/write.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "store/alerts.hpp"
#include "store/clusters.hpp"
#include "store/events.hpp"
#include "store/findings.hpp"
#include "store/hosts.hpp"
#include "store/nodes.hpp"
#include "store/operations.hpp"
#include "store/repairs.hpp"
#include "store/work.hpp"

namespace sickbay::engine {
namespace {

// The cluster's turn looks at all of its unhealthy nodes: in a storm once for many of them, not once for each.
constexpr Duration kClusterApart = seconds{1};

}  // namespace

void write_events(store::Tx& tx, const std::vector<Event>& events) {
  for (const Event& event : events) store::add_event(tx, event);
}

void tell_all_clusters(store::Tx& tx, const std::string& id, EventKind kind, const std::string& message,
                       const std::string& by) {
  std::vector<Event> events;
  for (const Cluster& cluster : store::list_clusters(tx)) {
    Event& event =
        events.emplace_back(event_of(kind, fmt::format("{}-{}", id, events.size()), store::now(tx), message, by));
    event.cluster = cluster.id;
    event.data["route"] = "operators";
  }
  write_events(tx, events);
}

bool write_changes(store::Tx& tx, const decide::NodeChanges& changes, const Node& node,
                   const std::vector<Operation>& read, Time now) {
  if (changes.node) store::put_node(tx, *changes.node);
  for (const Alert& alert : changes.alerts) store::put_alert(tx, alert);
  store::mark_folded(tx, changes.folded);
  for (const Host& host : changes.hosts) store::put_host(tx, host);
  if (changes.repair) store::put_repair(tx, *changes.repair);
  // Changed operations before new ones: a concluded one makes room for the next under the unique index.
  for (const Operation& operation : changes.operations) {
    const auto known = std::ranges::find(read, operation.id, &Operation::id);
    if (known == read.end()) continue;
    Operation next = operation;
    next.version = known->version + 1;
    if (!store::swap_operation(tx, next)) return false;
  }
  for (const Operation& operation : changes.operations) {
    if (std::ranges::find(read, operation.id, &Operation::id) == read.end()) store::add_operation(tx, operation);
  }
  for (const Hold& hold : changes.holds) store::put_hold(tx, hold);
  if (changes.release_slots && changes.repair) store::free_slots(tx, changes.repair->id);
  write_events(tx, changes.events);
  if (changes.wake_cluster || changes.release_slots) {
    store::wake(tx, WorkKind::cluster, node.cluster, now + kClusterApart);
  }
  return true;
}

}  // namespace sickbay::engine
