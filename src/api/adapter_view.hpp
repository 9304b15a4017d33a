// Which adapters of a cluster do not say now how its nodes and hosts are.
#pragma once

#include <vector>

#include "api/call.hpp"
#include "resources/adapter.hpp"
#include "store/tx.hpp"

namespace sickbay::api {

// By name: those that cannot be reached, those that never answered yet, and those that nobody asks any more though
// nodes are known through them.
std::vector<resources::UnreachableAdapter> unreachable_adapters(store::Tx& tx, const Cluster& cluster,
                                                                const Services& services);

}  // namespace sickbay::api
