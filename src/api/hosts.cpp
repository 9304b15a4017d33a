// Hosts: what is under the nodes, spare, vacated or waiting for a technician.
#include <fmt/core.h>

#include "api/routes.hpp"
#include "api/schema.hpp"

namespace sickbay::api {
namespace {

struct HostView : Host {
  std::string node_name;
  BOOST_DESCRIBE_CLASS(HostView, (Host), (node_name), (), ())
};
struct HostList {
  std::vector<HostView> hosts;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(HostList, (), (hosts, has_next, next_page_token), (), ())
};

HostView view_of(store::Tx& tx, Host host) {
  HostView view;
  static_cast<Host&>(view) = std::move(host);
  if (view.node.empty()) return view;
  if (const auto node = store::get_node(tx, view.node)) view.node_name = node->name;
  return view;
}

Result<net::Response> list(Call& call) {
  SICKBAY_ASSIGN(const store::Page page, call.page());
  SICKBAY_ASSIGN(const auto state, call.choice<HostState>("state"));
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    auto hosts = store::list_hosts(tx, call.cluster->id);
    std::erase_if(hosts, [&](const Host& host) { return state && host.state != *state; });
    auto paged = page_of(std::move(hosts), page, [](const Host& host) { return host.id; });
    json::array items;
    for (Host& host : paged.items) items.push_back(to_json(view_of(tx, std::move(host))));
    return json_response(list_of("hosts", std::move(items), paged.next));
  });
}

Result<net::Response> get(Call& call) {
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    auto host = store::get_host(tx, call.part("host"));
    if (!host || host->cluster != call.cluster->id) {
      return fail(Errc::not_found, fmt::format("there is no host {} in this cluster", call.part("host")));
    }
    return json_response(to_json(view_of(tx, std::move(*host))));
  });
}

}  // namespace

std::vector<Route> host_routes() {
  const std::string all = "/v1/compute/clusters/{cluster}/hosts";
  return {
      {"GET",
       all,
       Access::viewer,
       list,
       "The hosts of a cluster, by id",
       {"state", "page_size", "page_token"},
       false,
       nullptr,
       schema_of<HostList>},
      {"GET", all + "/{host}", Access::viewer, get, "One host", {}, false, nullptr, schema_of<HostView>},
  };
}

}  // namespace sickbay::api
