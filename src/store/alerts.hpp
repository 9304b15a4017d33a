// Alerts.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/alert.hpp"
#include "store/paging.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

std::optional<Alert> get_alert(Tx& tx, std::string_view id);
void put_alert(Tx& tx, const Alert& alert);
std::vector<Alert> open_alerts_of_node(Tx& tx, std::string_view node);  // not resolved
std::vector<Alert> alerts_by_id(Tx& tx, const std::vector<std::string>& ids);
std::vector<Alert> alerts_of_host_resolved_since(Tx& tx, std::string_view host, Time since);
// When each node of the cluster that is unhealthy turned so (its oldest unresolved alert with an action, or its
// silence), since then: what the breaker counts (engine.md 4).
std::vector<std::pair<std::string, Time>> unhealthy_nodes(Tx& tx, std::string_view cluster, Time since);

struct AlertFilter {
  std::string cluster, node, name;
  std::optional<AlertState> state;
  std::optional<Severity> severity;
};
Paged<Alert> list_alerts(Tx& tx, const AlertFilter& filter, const Page& page);  // newest first

}  // namespace sickbay::store
