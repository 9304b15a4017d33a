// Alerts: the model's own form, with the node's name beside its id.

#include "store/alerts.hpp"

#include <fmt/core.h>

#include "api/routes.hpp"
#include "api/schema.hpp"
#include "resources/alert.hpp"
#include "store/nodes.hpp"
#include "store/paging.hpp"

namespace sickbay::api {
namespace {

resources::Alert view_of(store::Tx& tx, Alert alert, std::map<std::string, std::string>& names) {
  resources::Alert view;
  static_cast<Alert&>(view) = std::move(alert);
  auto [name, is_new] = names.try_emplace(view.node);
  if (is_new) {
    const auto node = store::get_node(tx, view.node);
    if (node) name->second = node->name;
  }
  view.node_name = name->second;
  return view;
}

Result<net::Response> list(Call& call) {
  SICKBAY_ASSIGN(const store::Page page, call.page());
  store::AlertFilter filter;
  filter.cluster = call.cluster->id;
  filter.name = call.parameter("name").value_or("");
  SICKBAY_ASSIGN(filter.state, call.choice<AlertState>("state"));
  SICKBAY_ASSIGN(filter.severity, call.choice<Severity>("severity"));
  if (const auto name = call.parameter("node")) {
    SICKBAY_ASSIGN(const Node node, call.find_node(*name));
    filter.node = node.id;
  }
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    auto paged = store::list_alerts(tx, filter, page);
    std::map<std::string, std::string> names;
    std::vector<resources::Alert> views;
    for (Alert& alert : paged.items) views.push_back(view_of(tx, std::move(alert), names));
    return call.answer_list<resources::AlertList>(std::move(views), paged.next);
  });
}

Result<net::Response> get(Call& call) {
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    auto alert = store::get_alert(tx, call.part("alert"));
    if (!alert || alert->cluster != call.cluster->id) {
      return fail(Errc::not_found, fmt::format("there is no alert {} in this cluster", call.part("alert")));
    }
    std::map<std::string, std::string> names;
    return call.answer(view_of(tx, std::move(*alert), names));
  });
}

}  // namespace

std::vector<Route> alert_routes() {
  const std::string all = "/v1/compute/clusters/{cluster}/alerts";
  return {
      {.path = all,
       .run = list,
       .summary = "Alerts, newest first",
       .parameters = {"state", "severity", "name", "node", "page_size", "page_token"},
       .answer = schema_of<resources::AlertList>},
      {.path = all + "/{alert}", .run = get, .summary = "One alert", .answer = schema_of<resources::Alert>},
  };
}

}  // namespace sickbay::api
