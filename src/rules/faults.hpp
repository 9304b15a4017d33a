// The fault table of product.md 3.3: what a fault means until an operator says otherwise. It is data
// (rules/faults.yaml).
#pragma once

#include <vector>

#include "model/finding.hpp"

namespace sickbay::rules {

// The table Sickbay ships.
FaultTable default_faults();

// `base` with an operator's rows over it (Policy.faults). A row replaces the one of the same name and code; a new one
// is added. A row for "*" replaces the base's "*" row only: rows for single codes stay.
FaultTable merged(FaultTable base, const std::vector<FaultRule>& overrides);

}  // namespace sickbay::rules
