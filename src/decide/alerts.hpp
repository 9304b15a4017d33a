// How findings become alerts, and when alerts fire and are over. Internal to decide/.
#pragma once

#include "decide/turn.hpp"

namespace sickbay::decide {

// The parts of a turn, in order.
void fold_findings(Turn& turn);  // alerts.cpp
void derive_alerts(Turn& turn);  // alerts_derived.cpp: silence, identity, readiness
void settle_alerts(Turn& turn);  // alerts_settle.cpp: fires and clears
void settle_boots(Turn& turn);   // alerts_settle.cpp: what another boot or host left behind

Alert* open_alert(Turn& turn, const Fault& fault, std::string_view device);
bool is_unhealthy(const Alert& alert);  // counts for the breaker
bool fires_with_action(const Alert& alert);
void resolve(Turn& turn, Alert& alert, std::string why);
Classification classify(const NodeFacts& facts, const Finding& finding);
// The alert was told once more, with this as its newest evidence.
void remember(Alert& alert, const Finding& finding, std::uint64_t epoch, Time at);
// Opens an alert as pending.
Alert& open(Turn& turn, const Finding& finding, const Classification& means, std::uint64_t epoch, Time at);

}  // namespace sickbay::decide
