// Who runs on a node, as its newest session says. A hello only opens a session; the node itself is changed here, in the
// node's own turn, so that a new boot, a new installation and a conflict that is over are each seen by the one who
// decides, and said. Until that turn the newest session is the newer truth.
#pragma once

#include <optional>
#include <string>

#include "decide/facts.hpp"

namespace sickbay::decide {

struct Turn;

// The host under the node: what is known, or else what the agent says. Whoever loads facts of the host asks here.
std::string host_under(const Node& node, const std::optional<Session>& session);
// What the node must have: learned when it joins, pinned after.
Shape expected_shape(const Node& node, const Shape& of_agent);
// The identity conflict that bars actions now; it is over after kIdentityConflict without another sign of it.
std::optional<std::string> identity_conflict(const Node& node, Time now);

void note_session(Turn& turn);   // after note_act, which says whether a boot can be ours
void note_conflict(Turn& turn);  // ends an identity conflict that is over

}  // namespace sickbay::decide
