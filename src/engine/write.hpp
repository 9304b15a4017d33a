// Writing what a decision came to, inside the caller's transaction.
#pragma once

#include "decide/facts.hpp"
#include "store/tx.hpp"

namespace sickbay::engine {

// Adds the events. Their sequence numbers come later, from the publisher.
void write_events(store::Tx& tx, const std::vector<Event>& events);
// An event of the whole installation, as one of each of its clusters; `id` begins their ids.
void tell_all_clusters(store::Tx& tx, const std::string& id, EventKind kind, const std::string& message,
                       const std::string& by = "sickbay");
// Writes all of a turn's changes but the node's work row. `read` are the operations as they were read: a changed one is
// swapped against that version. False: one of them was changed by somebody else; the transaction is to be given up.
[[nodiscard]] bool write_changes(store::Tx& tx, const decide::NodeChanges& changes, const Node& node,
                                 const std::vector<Operation>& read, Time now);

}  // namespace sickbay::engine
