#include "store/alerts.hpp"

#include "model/fault_names.hpp"
#include "store/page_of.hpp"
#include "store/tables.hpp"

namespace sickbay::store {

std::optional<Alert> get_alert(Tx& tx, std::string_view id) {
  return document<Alert>(tx, kAlert, "WHERE id = ?1", id);
}

void put_alert(Tx& tx, const Alert& alert) {
  const std::string severity = name_of(alert.severity);
  const std::string state = name_of(alert.state);
  // An alert is open until it is resolved; a missing time must not leave it open for the indexes.
  Param resolved_at = param(alert.resolved_at.value_or(alert.started_at));
  resolved_at.null = alert.state != AlertState::resolved;
  put(tx, kAlert, alert,
      {{"id", param(alert.id)},
       {"cluster", param(alert.cluster)},
       {"node", param(alert.node)},
       {"host", param(alert.host)},
       {"name", param(alert.fault.name)},
       {"severity", param(severity)},
       {"state", param(state)},
       {"acting", param(alert.action != Action::none)},
       {"started_at", param(alert.started_at)},
       {"resolved_at", resolved_at}});
}

std::vector<Alert> open_alerts_of_node(Tx& tx, std::string_view node) {
  return documents<Alert>(tx, kAlert, "WHERE node = ?1 AND resolved_at IS NULL ORDER BY started_at, id", node);
}

std::vector<Alert> alerts_by_id(Tx& tx, const std::vector<std::string>& ids) {
  if (ids.empty()) return {};
  return documents<Alert>(tx, kAlert, "WHERE id IN (SELECT e.value FROM EACH(?1)) ORDER BY started_at, id",
                          json_texts(ids));
}

std::vector<Alert> alerts_of_host_resolved_since(Tx& tx, std::string_view host, Time since) {
  if (host.empty()) return {};
  return documents<Alert>(tx, kAlert, "WHERE host = ?1 AND resolved_at >= ?2 ORDER BY started_at, id", host, since);
}

std::vector<std::pair<std::string, Time>> unhealthy_nodes(Tx& tx, std::string_view cluster, Time since) {
  std::vector<std::pair<std::string, Time>> out;
  for (auto& [node, at] :
       select<std::string, Time>(tx,
                                 "SELECT node, MIN(started_at) FROM alert WHERE cluster = ?1 AND resolved_at IS NULL "
                                 "AND (acting = 1 OR name = ?3) AND node <> '' GROUP BY node HAVING "
                                 "MIN(started_at) >= ?2 ORDER BY node",
                                 cluster, since, std::string_view(fault_names::kAgentSilent))) {
    out.emplace_back(std::move(node), at);
  }
  return out;
}

Paged<Alert> list_alerts(Tx& tx, const AlertFilter& filter, const Page& page) {
  const std::string state = filter.state ? name_of(*filter.state) : "";
  const std::string severity = filter.severity ? name_of(*filter.severity) : "";
  Where where;
  where.add_if_set("cluster = {}", filter.cluster);
  where.add_if_set("node = {}", filter.node);
  where.add_if_set("name = {}", filter.name);
  where.add_if_set("state = {}", state);
  where.add_if_set("severity = {}", severity);
  return page_of<Alert>(tx, kAlert, std::move(where), "started_at", false, page);
}

}  // namespace sickbay::store
