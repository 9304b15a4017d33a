// What repair the alerts that fire come to, and why none is made. Internal to decide/.
#pragma once

#include "decide/turn.hpp"

namespace sickbay::decide {

// Makes or raises the recommendation: a part of a turn.
void recommend(Turn& turn);

struct Recommendation {
  Action action = Action::none;
  Fault fault;
  std::vector<std::string> alerts;
  std::vector<std::string> reasons;
  std::string reason;
  ConsentDecision consent;
  std::string none_because;  // why there is none, where somebody may ask; action is none then
};
// What the rules come to for the alerts that fire now, whether or not a recommendation may be made now.
Recommendation recommendation(const NodeFacts& facts, const std::vector<Alert>& alerts, const Node& node, Time now);
// Why no new automatic recommendation is made now (and until when, where time ends it); empty: it may be.
struct Withheld {
  std::string because;
  std::optional<Time> until;
};
Withheld withheld(const NodeFacts& facts, const Node& node, const std::vector<Alert>& alerts,
                  const Recommendation& wanted, Time now);

}  // namespace sickbay::decide
