// A cluster's turn: the circuit breaker, and waking repairs that wait for a slot or for the breaker.
#include "engine/engine.hpp"
#include "engine/facts.hpp"
#include "engine/write.hpp"
#include "store/clusters.hpp"
#include "store/repairs.hpp"

namespace sickbay::engine {

Status Engine::cluster_turn(std::string_view key) {
  const auto changed = store_.write([&](store::Tx& tx) -> Result<bool> {
    const auto cluster = store::lock_cluster(tx, key);
    const std::uint64_t version = store::work_version(tx, WorkKind::cluster, key);
    // Nodes before the cluster's own work row: the order in which a node's turn takes them.
    store::wake_all(tx, WorkKind::node, store::nodes_with_open_repairs(tx, key), store::now(tx));
    if (!store::still(tx, WorkKind::cluster, key, version)) return fail(Errc::changed, "the cluster's facts changed");
    if (!cluster) {
      store::finish(tx, WorkKind::cluster, key, std::nullopt);
      return false;
    }
    const Time now = store::now(tx);
    const auto facts = load_cluster_facts(tx, *cluster, now);
    const decide::ClusterChanges changes = decide::cluster_turn(*facts, now, ids_);
    if (changes.cluster) store::put_cluster(tx, *changes.cluster);
    write_events(tx, changes.events);
    store::finish(tx, WorkKind::cluster, key, changes.due);
    return !changes.events.empty();
  });
  SICKBAY_CHECK(changed);
  notify();
  return {};
}

}  // namespace sickbay::engine
