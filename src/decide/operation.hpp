// What an answer, or a look, makes of an operation that was sent (engine.md 3). Pure, as everything of this room.
#pragma once

#include "decide/facts.hpp"
#include "model/reply.hpp"

namespace sickbay::decide {

// How long a call may be on its way.
struct CallTimes {
  Duration call_timeout = seconds{8};
  Duration observe_grace = seconds{30};  // how long after its dispatch_by an unseen operation is looked for
};

// The provider recalled it before it began: it certainly did not happen.
Operation recalled(Operation operation, const Reply& reply, Time now);
// It was taken to be sent, and what became of it is not settled.
bool is_sent(const Operation& operation);

// What the reply makes of the operation. `again`: it may have left before, in a call whose reply never came, so neither
// "not sent" nor "refused" of this call says that it did not happen.
Operation answered(Operation operation, const Reply& reply, bool again, Time now);
// What a look at the provider, begun at `at`, makes of an operation of kind act. `fenced`: it refuses a second effect.
Operation seen(Operation operation, const OperationView& view, bool fenced, const SafetyState& caution,
               const CallTimes& times, Time at);
// What a look at the scheduler, begun at `at`, makes of a cordon, drain or uncordon whose reply never came: these are
// fenced by the mark, so what is not seen may be asked again.
Operation seen(Operation operation, const Observation& observation, const CallTimes& times, Time at);

}  // namespace sickbay::decide
