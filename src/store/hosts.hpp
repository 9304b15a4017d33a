// Hosts: the machines under the nodes, and spares.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/node.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

std::optional<Host> get_host(Tx& tx, std::string_view id);
std::vector<Host> list_hosts(Tx& tx, std::string_view cluster);
// Spares a node of this shape and pool may take: right shape, free or reserved for this pool, checked since then.
std::uint32_t count_spares(Tx& tx, std::string_view cluster, std::string_view shape, std::string_view pool,
                           Time checked_since);
void put_host(Tx& tx, const Host& host);

}  // namespace sickbay::store
