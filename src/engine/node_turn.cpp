// A node's turn (engine.md 1): read the facts and the version as one snapshot, decide without any lock on what is known
// now, write in one short transaction that first checks the version. Looks and operations are then asked for; they are
// calls of their adapters, whose answers wake the node.
#include <fmt/core.h>

#include <algorithm>

#include "base/log.hpp"
#include "engine/engine.hpp"
#include "engine/facts.hpp"
#include "engine/look.hpp"
#include "engine/write.hpp"
#include "store/nodes.hpp"
#include "store/observations.hpp"

namespace sickbay::engine {
namespace {

// A call that waited longer in its lane is not made: the node's next turn comes sooner than this (it has an open
// operation), so a lane that is merely slow holds nothing back for ever.
constexpr Duration kLongestWait = seconds{30};

struct Snapshot {
  std::optional<decide::NodeFacts> facts;
  std::uint64_t version = 0;
  Time now{};
};

// The facts as the turn leaves them, in what looks and calls depend on.
void apply(decide::NodeFacts& facts, const decide::NodeChanges& changes) {
  if (changes.node) facts.node = *changes.node;
  if (changes.repair) facts.repair = changes.repair;
  for (const Operation& operation : changes.operations) {
    const auto known = std::ranges::find(facts.operations, operation.id, &Operation::id);
    if (known == facts.operations.end()) {
      facts.operations.push_back(operation);
    } else {
      *known = operation;
    }
  }
  if (!changes.holds.empty()) facts.holds = changes.holds;
}

std::optional<Time> earlier(std::optional<Time> a, std::optional<Time> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// It reaches jobs or the machine, so what it was decided on must be new.
bool needs_recent_looks(const Operation& operation) {
  return operation.kind == OperationKind::act || operation.kind == OperationKind::drain;
}

}  // namespace

Status Engine::node_turn(std::string_view key) {
  const auto snapshot = store_.read([&](store::Tx& tx) -> Result<Snapshot> {
    Snapshot read;
    read.now = store::now(tx);
    read.version = store::work_version(tx, WorkKind::node, key);
    read.facts = load_node_facts(tx, key, read.now, {faults_, options_, caution()});
    return read;
  });
  SICKBAY_CHECK(snapshot);
  if (snapshot->facts && !clock_is_sound(snapshot->now, snapshot->facts->clock_steps)) {
    return fail(Errc::changed, "the clock stepped");
  }
  at(Point::after_read);
  if (!snapshot->facts) {  // forgotten: nothing to do until somebody wakes it
    return store_.write([&](store::Tx& tx) -> Status {
      if (store::still(tx, WorkKind::node, key, snapshot->version))
        store::finish(tx, WorkKind::node, key, std::nullopt);
      return {};
    });
  }
  decide::NodeFacts facts = *snapshot->facts;
  const std::vector<Operation> read_operations = facts.operations;
  const Time now = snapshot->now;
  const decide::NodeChanges changes = decide::node_turn(facts, now, ids_);
  apply(facts, changes);

  at(Point::before_write);
  const auto written = store_.write([&](store::Tx& tx) -> Result<std::uint64_t> {
    const bool unchanged = store::still(tx, WorkKind::node, key, snapshot->version);
    if (!unchanged && !hooks_.planted.lost_wakeup) return fail(Errc::changed, "the node's facts changed");
    if (!write_changes(tx, changes, facts.node, read_operations, now)) {
      return fail(Errc::changed, "an operation changed");
    }
    store::finish(tx, WorkKind::node, key, earlier(changes.due, look_due(facts, options_, now)));
    return store::work_version(tx, WorkKind::node, key);
  });
  SICKBAY_CHECK(written);
  if (!changes.events.empty() || changes.wake_cluster || changes.release_slots) notify();
  at(Point::after_write);
  // Admission ends with a new version of the node, with which what was just asked for would not be sent: first things
  // first. Its outcome wakes the node.
  const bool sends = ask(facts, *written, now);
  return changes.wants_admission && !sends ? admit(facts.node) : Status{};
}

// Only what this very turn, on these facts, let stand is sent: an operation that was planned before has just been
// decided on again. True if something is to be sent.
bool Engine::ask(const decide::NodeFacts& facts, std::uint64_t version, Time now) {
  const auto next = std::ranges::find(facts.operations, OperationState::planned, &Operation::state);
  const bool sends = next != facts.operations.end() && !facts.caution.observe_only &&
                     !decide::must_not_leave(facts, *next) && (!needs_recent_looks(*next) || is_recent(facts, now));
  if (sends) {
    ask_to_send(*next, version,
                needs_recent_looks(*next) ? std::min(fresh_for(facts, now), kLongestWait) : kLongestWait);
  }
  if (wants_look(facts)) ask_for_looks(facts, now);
  return sends;
}

}  // namespace sickbay::engine
