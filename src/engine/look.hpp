// Looking at the world before a decision: what each scheduler says of the node, and what became of its operations.
// Changes nothing out there (engine.md 3: a successor observes before it does anything).
#pragma once

#include "base/ids.hpp"
#include "decide/facts.hpp"
#include "engine/world.hpp"

namespace sickbay::engine {

// What a look changed in the facts; to be written with the turn.
struct Looked {
  std::vector<Observation> observed;  // every new look
  std::vector<Operation> operations;  // those whose state it changed; version still as read
  bool node_changed = false;          // the host or machine under the node
  std::vector<Event> events;
};

// Whether this node needs looking at: something of ours is, or may be, in the world.
bool wants_look(const decide::NodeFacts& facts);
// Looks, and updates `facts` with what it saw.
Looked look(decide::NodeFacts& facts, const World& world, const Options& options, Time now, Ids& ids);

// What a look at the provider makes of an operation of kind act. Pure.
Operation seen(Operation operation, const OperationView& view, bool fenced, const decide::Caution& caution,
               const Options& options, Time now);
// What a look at the scheduler makes of a cordon, drain or uncordon whose reply never came. Pure: these are fenced by
// the mark, so what is not seen may be asked again.
Operation seen(Operation operation, const Observation& observation, const Options& options, Time now);

Event operation_event(const Operation& operation, Time now, Ids& ids);

}  // namespace sickbay::engine
