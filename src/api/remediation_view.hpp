// How a repair becomes what the public API calls a remediation.
#pragma once

#include <vector>

#include "resources/remediation.hpp"
#include "store/tx.hpp"

namespace sickbay::api {

// `alerts` are the repair's linked ones.
resources::Remediation remediation(const Repair& repair, const std::vector<Alert>& alerts);
// The same with the alerts read.
resources::Remediation read_remediation(store::Tx& tx, const Repair& repair);

}  // namespace sickbay::api
