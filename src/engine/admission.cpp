// Admission (engine.md 4): automatic approval and the start of a repair, in a transaction of their own. Locks in the
// order cluster, then the node's work row; limits are counted in statements after the locks.
#include "engine/engine.hpp"
#include "engine/facts.hpp"
#include "engine/write.hpp"
#include "store/clusters.hpp"
#include "store/nodes.hpp"
#include "store/operations.hpp"
#include "store/repairs.hpp"

namespace sickbay::engine {

Status Engine::admit(const Node& node) {
  at(Point::in_admission);
  if (!clock_is_sound()) return {};  // the node is turned again, and asks again
  const auto changed = store_.write([&](store::Tx& tx) -> Result<bool> {
    const auto cluster = store::lock_cluster(tx, node.cluster);
    if (!cluster) return false;
    const std::uint64_t version = store::work_version(tx, WorkKind::node, node.id);
    if (!store::still(tx, WorkKind::node, node.id, version)) return fail(Errc::changed, "the node's facts changed");
    const Time now = store::now(tx);
    const auto current = store::get_node(tx, node.id);
    if (!current) return false;
    const auto facts = load_admission_facts(tx, *cluster, *current, now, {faults_, options_, caution()});
    if (!facts) return false;
    const decide::AdmissionChanges changes = decide::admit(*facts, now, ids_);
    if (changes.repair) store::put_repair(tx, *changes.repair);
    for (const Slot& slot : changes.take) store::take_slot(tx, slot);
    if (changes.cluster) {
      store::put_cluster(tx, *changes.cluster);
      store::wake(tx, WorkKind::cluster, node.cluster, now);
    }
    write_events(tx, changes.events);
    // A changed repair has its next turn at once; one that waits has it when admission says.
    if (changes.repair && changes.repair->state != facts->repair.state) {
      store::wake(tx, WorkKind::node, node.id, now);
    } else if (changes.repair || changes.due) {
      store::finish(tx, WorkKind::node, node.id, changes.due);
    }
    return !changes.events.empty() || changes.repair.has_value();
  });
  SICKBAY_CHECK(changed);
  if (*changed) notify();
  return {};
}

}  // namespace sickbay::engine
