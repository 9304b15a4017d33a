// Which looks at the world a node needs. The looks themselves are calls (look.cpp); nothing here touches anything.
#pragma once

#include "base/ids.hpp"
#include "decide/operation.hpp"
#include "engine/options.hpp"

namespace sickbay::engine {

// True if we hold a cordon or have an operation that may still be running.
bool wants_look(const decide::NodeFacts& facts);
// Whether a look at this scheduler is wanted now: there is none, it is older than look_again or than the last operation
// that ended there.
bool is_stale(const decide::NodeFacts& facts, std::string_view scheduler, const Options& options, Time now);
// Whether what is known of the schedulers is new enough for a call that reaches jobs or the machine. One that cannot be
// asked does not count: the decision knew that.
bool is_recent(const decide::NodeFacts& facts, Time now);
// How long all of that stays fresh; negative: it is not.
Duration fresh_for(const decide::NodeFacts& facts, Time now);
// When the node is to be turned again so that a look or a call that was not made is not forgotten.
std::optional<Time> look_due(const decide::NodeFacts& facts, const Options& options, Time now);

decide::CallTimes call_times(const Options& options);
Event operation_event(const Operation& operation, Time now, std::string id);

}  // namespace sickbay::engine
