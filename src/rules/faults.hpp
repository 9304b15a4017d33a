// The fault table of product.md 3.3: what a fault means until an operator says otherwise. It is data
// (rules/faults.yaml).
#pragma once

#include "model/finding.hpp"

namespace sickbay::rules {

// The table Sickbay ships.
FaultTable default_faults();

}  // namespace sickbay::rules
