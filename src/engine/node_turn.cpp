// A node's turn (engine.md 1): read the facts and the version as one snapshot, look at the world, decide without any
// lock, write in one short transaction that first checks the version, then dispatch what is planned.
#include <fmt/core.h>

#include <algorithm>

#include "base/log.hpp"
#include "engine/engine.hpp"
#include "engine/facts.hpp"
#include "engine/look.hpp"
#include "engine/write.hpp"
#include "store/nodes.hpp"
#include "store/repairs.hpp"

namespace sickbay::engine {
namespace {

struct Snapshot {
  std::optional<decide::NodeFacts> facts;
  std::uint64_t version = 0;
  Time now{};
  bool conflict_stored = false;  // the node's row names an identity conflict; the facts say whether it is over
};

// The operations as they shall be written: what the look saw, and over it what was decided.
std::vector<Operation> merged(const std::vector<Operation>& looked, const std::vector<Operation>& decided) {
  std::vector<Operation> operations = decided;
  for (const Operation& operation : looked) {
    if (std::ranges::find(operations, operation.id, &Operation::id) == operations.end()) {
      operations.push_back(operation);
    }
  }
  return operations;
}

}  // namespace

Status Engine::node_turn(std::string_view key) {
  const auto snapshot = store_.read([&](store::Tx& tx) -> Result<Snapshot> {
    Snapshot read;
    read.now = store::now(tx);
    read.version = store::work_version(tx, "node", key);
    read.facts = load_node_facts(tx, key, read.now, {world_, faults_, options_, caution()});
    const auto stored = store::get_node(tx, key);
    read.conflict_stored = stored && stored->identity_conflict;
    return read;
  });
  SICKBAY_CHECK(snapshot);
  check_clock(snapshot->now);
  at(Point::after_read);
  if (!snapshot->facts) {  // forgotten: nothing to do until somebody wakes it
    return store_.write([&](store::Tx& tx) -> Status {
      if (store::still(tx, "node", key, snapshot->version)) store::finish(tx, "node", key, std::nullopt);
      return {};
    });
  }
  decide::NodeFacts facts = *snapshot->facts;
  const std::vector<Operation> read_operations = facts.operations;
  Time now = snapshot->now;
  Looked looked;
  if (wants_look(facts)) {
    looked = look(facts, world_, options_, now, ids_);
    SICKBAY_ASSIGN(now, store_.now());
    at(Point::after_look);
  }

  decide::NodeChanges changes = decide::node_turn(facts, now, ids_);
  changes.operations = merged(looked.operations, changes.operations);
  changes.events.insert(changes.events.begin(), looked.events.begin(), looked.events.end());
  const bool conflict_over = snapshot->conflict_stored && !facts.node.identity_conflict;
  if (!changes.node && (looked.node_changed || conflict_over)) changes.node = facts.node;

  at(Point::before_write);
  const auto written = store_.write([&](store::Tx& tx) -> Result<std::uint64_t> {
    const bool unchanged = store::still(tx, "node", key, snapshot->version);
    if (!unchanged && !options_.planted.lost_wakeup) return fail(Errc::changed, "the node's facts changed");
    for (const Observation& observation : looked.observed) store::put_observation(tx, observation);
    if (!write_changes(tx, changes, facts.node, read_operations, now)) {
      return fail(Errc::changed, "an operation changed");
    }
    store::finish(tx, "node", key, changes.due);
    return store::work_version(tx, "node", key);
  });
  SICKBAY_CHECK(written);
  if (!changes.events.empty() || changes.wake_cluster || changes.release_slots) notify();
  at(Point::after_write);

  // Dispatch only what this very turn, on these facts, let stand: a planned operation that was decided on older facts
  // has just been looked at again.
  const auto planned = [&](const Operation& operation) { return operation.state == OperationState::planned; };
  std::vector<Operation> operations = merged(facts.operations, changes.operations);
  if (const auto next = std::ranges::find_if(operations, planned); next != operations.end()) {
    if (!facts.caution.observe_only) dispatch(*next, *written);
  }
  return changes.wants_admission ? admit(changes.node.value_or(facts.node)) : Status{};
}

}  // namespace sickbay::engine
