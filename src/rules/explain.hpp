// `sickbay rules explain`: what a code, an alert name or a log line means, for a person.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "rules/kernel_log.hpp"

namespace sickbay::rules {

// `about` is an Xid code ("119"), a fault ("DmesgXidError/119", "NpdXfsShutdown", "sxid/20034"), a rule's id or class,
// or a whole log line. Errc::not_found says what was tried. The object has: subject, meaning, severity, action, holds,
// clears, and for lines the findings.
Result<boost::json::object> explain(const KernelLog& log, const FaultTable& faults, std::string_view about);

// The object as lines of text.
std::string explanation_text(const boost::json::object& explanation);

// One line a rule and a code: what there is, as a JSON array of {id, class, name, severity, action, sentence}.
boost::json::array list_rules(const KernelLog& log, const FaultTable& faults);

}  // namespace sickbay::rules
