// Hosts: what is under the nodes, spare, vacated or waiting for a technician.
#include "store/hosts.hpp"

#include <fmt/core.h>

#include "api/routes.hpp"
#include "api/schema.hpp"
#include "resources/host.hpp"
#include "store/nodes.hpp"
#include "store/paging.hpp"

namespace sickbay::api {
namespace {

resources::Host view_of(Host host, std::string node_name) {
  resources::Host view;
  static_cast<Host&>(view) = std::move(host);
  view.node_name = std::move(node_name);
  return view;
}

Result<net::Response> list(Call& call) {
  SICKBAY_ASSIGN(const auto state, call.choice<HostState>("state"));
  SICKBAY_ASSIGN(auto hosts, call.read([&](store::Tx& tx) -> Result<std::vector<resources::Host>> {
    std::map<std::string, std::string> names;
    for (const Node& node : store::list_nodes(tx, call.cluster->id)) names[node.id] = node.name;
    std::vector<resources::Host> views;
    for (Host& host : store::list_hosts(tx, call.cluster->id)) {
      if (state && host.state != *state) continue;
      const auto name = names.find(host.node);
      views.push_back(view_of(std::move(host), name == names.end() ? "" : name->second));
    }
    return views;
  }));
  return call.answer_page<resources::HostList>(std::move(hosts), [](const Host& host) { return host.id; });
}

Result<net::Response> get(Call& call) {
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    auto host = store::get_host(tx, call.part("host"));
    if (!host || host->cluster != call.cluster->id) {
      return fail(Errc::not_found, fmt::format("there is no host {} in this cluster", call.part("host")));
    }
    const auto node = host->node.empty() ? std::nullopt : store::get_node(tx, host->node);
    return call.answer(view_of(std::move(*host), node ? node->name : ""));
  });
}

}  // namespace

std::vector<Route> host_routes() {
  const std::string all = "/v1/compute/clusters/{cluster}/hosts";
  return {
      {.path = all,
       .run = list,
       .summary = "The hosts of a cluster, by id",
       .parameters = {"state", "page_size", "page_token"},
       .answer = schema_of<resources::HostList>},
      {.path = all + "/{host}", .run = get, .summary = "One host", .answer = schema_of<resources::Host>},
  };
}

}  // namespace sickbay::api
