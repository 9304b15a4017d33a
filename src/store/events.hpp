// Events with their publish sequence, and leases.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/event.hpp"
#include "store/paging.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

void add_event(Tx& tx, const Event& event);
std::vector<std::string> unpublished_events(Tx& tx, std::size_t limit);  // oldest first
// Gives the next sequence numbers to these, in order. Only under a lease whose epoch was checked in this transaction.
void publish_events(Tx& tx, const std::vector<std::string>& ids);
struct EventFilter {
  std::string cluster, node, repair, kind;
};
std::vector<Event> events_after(Tx& tx, const EventFilter& filter, std::uint64_t sequence, std::size_t limit);
Paged<Event> list_events(Tx& tx, const EventFilter& filter, const Page& page);  // newest first

// A fenced lease: taking it (free, expired or one's own) gives an epoch that grows when the holder changes.
std::optional<std::uint64_t> take_lease(Tx& tx, std::string_view name, std::string_view owner, Time now,
                                        Duration length);
bool holds_lease(Tx& tx, std::string_view name, std::string_view owner, std::uint64_t epoch);  // locks the row

}  // namespace sickbay::store
