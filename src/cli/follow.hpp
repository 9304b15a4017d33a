// The server's stream of events, followed for as long as somebody looks: taken up again where it broke.
#pragma once

#include <functional>

#include "cli/context.hpp"

namespace sickbay::cli {

// The newest events of the cluster that match, oldest of them first.
Result<json::array> newest_events(Context& context, const Query& filter, std::size_t count);

// Calls `on_event` with each event after `last` (an event's sequence; empty: from now on) until it returns false. A
// broken stream is said on the error output and taken up again after the last event seen; a credential or cluster that
// is refused ends it.
Status follow_events(Context& context, std::string last, const std::function<bool(const json::value& event)>& on_event);

}  // namespace sickbay::cli
