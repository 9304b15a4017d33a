// The public API's words for actions, triggers and severities, which are Together's, and the one table between them and
// ours. As enums, so that the OpenAPI document lists them and a misspelt one does not compile.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/words.hpp"

namespace sickbay::resources {

BOOST_DEFINE_ENUM_CLASS(Mode, REMEDIATION_MODE_UNSPECIFIED, REMEDIATION_MODE_REBOOT_VM, REMEDIATION_MODE_VM_ONLY,
                        REMEDIATION_MODE_HOST_AWARE, REMEDIATION_MODE_EVICT_WITHOUT_REPLACEMENT,
                        REMEDIATION_MODE_HOST_POWER_CYCLE)
BOOST_DEFINE_ENUM_CLASS(TriggerName, REMEDIATION_TRIGGER_MANUAL, REMEDIATION_TRIGGER_AUTOMATED)
BOOST_DEFINE_ENUM_CLASS(SeverityName, PHC_SEVERITY_INFO, PHC_SEVERITY_WARNING, PHC_SEVERITY_CRITICAL)

// Action::none is REMEDIATION_MODE_UNSPECIFIED.
Mode mode_of(Action action);
Action action_of(Mode mode);
TriggerName trigger_of(Trigger trigger);
SeverityName severity_of(Severity severity);

// What a request names; empty optional for what is not on the list, or asks for no action at all.
std::optional<Action> action_named(std::string_view mode);
std::optional<Trigger> trigger_named(std::string_view name);
// The modes that a request may name, joined by commas, for people.
std::string mode_names();

}  // namespace sickbay::resources
