// What more than one verb says of a repair, which the public API calls a remediation.
#pragma once

#include <string>

#include "resources/remediation.hpp"

namespace sickbay::cli {

// The node's name, or its id where it has none.
inline std::string node_of(const resources::Remediation& repair) {
  return repair.instance_name.empty() ? repair.instance_id : repair.instance_name;
}

// The states of repairs that have not ended, joined by commas: a filter of lists.
std::string open_states();

}  // namespace sickbay::cli
