// The one place where the ports' calls into the world are made, and where what adapters answer is checked before
// anything else sees it: it is about what was asked for, and its words are fit to be stored and shown. What each answer
// means for an operation is decide's; when a call may be made is Calls'.
#pragma once

#include "engine/adapters.hpp"
#include "model/repair.hpp"
#include "model/reply.hpp"

namespace sickbay::engine::ask {

// A look at one node, begun at `at`.
Observation observe(Scheduler& scheduler, const Node& node, std::string_view name, Time at, Duration timeout);
OperationView observe(Provider& provider, const Operation& operation, Duration timeout);
Reply send(const Adapters& adapters, const Operation& operation, Duration timeout);
Reply cancel(Provider& provider, const Operation& operation, Duration timeout);
Result<std::vector<NodeStatus>> list(Scheduler& scheduler, Duration timeout);
Result<std::vector<ListedHost>> hosts(Provider& provider, Duration timeout);
Result<ProviderCapabilities> capabilities(Provider& provider, Duration timeout);

// A digest of all that a list says of a node, so that what did not change is seen without looking at it closely.
std::string digest_of(const NodeStatus& listed);
// What a scheduler of this kind says of a node, as seen at `at`.
Observation observed(NodeStatus status, const Node& node, std::string_view scheduler, SchedulerKind kind, Time at);
// Whether two looks differ in what a list says, too.
bool differs(const Observation& a, const Observation& b);

}  // namespace sickbay::engine::ask
