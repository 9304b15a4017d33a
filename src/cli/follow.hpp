// The server's stream of events, followed for as long as somebody looks: taken up again where it broke.
#pragma once

#include <functional>

#include "cli/context.hpp"
#include "resources/event.hpp"

namespace sickbay::cli {

// An event, and the document that it came as.
struct Told {
  Event event;
  json::value document;
};

// The newest events of the cluster that match, oldest of them first.
Result<std::vector<Told>> newest_events(Context& context, const Query& filter, std::size_t count);

// Calls `on_event` with each event after `last` (a sequence; none: from now on) until it returns false. A broken stream
// is said on the error output and taken up again after the last event seen; a credential or cluster that is refused
// ends it. What does not read as an event is left out.
Status follow_events(Context& context, std::optional<std::uint64_t> last,
                     const std::function<bool(const Told& told)>& on_event);

}  // namespace sickbay::cli
