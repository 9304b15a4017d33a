// Hosts: the machines under the nodes, and spares.
#include "store/hosts.hpp"

#include "store/sql.hpp"
#include "store/tables.hpp"

namespace sickbay::store {

std::optional<Host> get_host(Tx& tx, std::string_view id) {
  return document<Host>(tx, kHost, "WHERE id = ?1", id);
}

std::vector<Host> list_hosts(Tx& tx, std::string_view cluster) {
  return documents<Host>(tx, kHost, "WHERE cluster = ?1 ORDER BY id", cluster);
}

std::uint32_t count_spares(Tx& tx, std::string_view cluster, std::string_view shape, std::string_view pool,
                           Time checked_since) {
  return select_one<std::uint32_t>(tx,
                                   "SELECT COUNT(*) FROM host WHERE cluster = ?1 AND state = 'spare' AND shape = ?2 "
                                   "AND reserved_for_pool IN ('', ?3) AND open_ticket = 0 AND checked_at >= ?4",
                                   cluster, shape, pool, checked_since)
      .value_or(0);
}

void put_host(Tx& tx, const Host& host) {
  const std::string state = name_of(host.state);
  put(tx, kHost, host,
      {{"id", param(host.id)},
       {"cluster", param(host.cluster)},
       {"state", param(state)},
       {"reserved_for_pool", param(host.reserved_for_pool)},
       {"shape", param(host.shape.name)},
       {"checked_at", param(host.checked_at)},
       {"open_ticket", param(host.open_ticket)}});
}

}  // namespace sickbay::store
