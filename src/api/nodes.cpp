// Nodes and pools.
#include <fmt/core.h>

#include "api/adapter_view.hpp"
#include "api/node_view.hpp"
#include "api/routes.hpp"
#include "api/schema.hpp"
#include "resources/pool.hpp"
#include "resources/why.hpp"
#include "store/alerts.hpp"
#include "store/findings.hpp"
#include "store/observations.hpp"
#include "store/operations.hpp"
#include "store/paging.hpp"
#include "store/sessions.hpp"

namespace sickbay::api {
namespace {

Result<net::Response> list(Call& call) {
  SICKBAY_ASSIGN(const auto state, call.choice<resources::NodeState>("state"));
  const auto pool = call.parameter("pool");
  SICKBAY_ASSIGN(auto views, call.read([&](store::Tx& tx) -> Result<std::vector<resources::Node>> {
    return node_views(tx, call.cluster->id);
  }));
  std::erase_if(views, [&](const resources::Node& view) {
    return (state && view.state != *state) || (pool && view.pool != *pool);
  });
  return call.answer_page<resources::NodeList>(std::move(views), [](const resources::Node& view) { return view.name; });
}

Result<net::Response> get(Call& call) {
  SICKBAY_ASSIGN(const Node node, call.node());
  SICKBAY_ASSIGN(auto why, call.services.commands.why_node(node.id));
  SICKBAY_ASSIGN(resources::NodeDetail detail, call.read([&](store::Tx& tx) -> Result<resources::NodeDetail> {
    return read_node_detail(tx, node, unreachable_adapters(tx, *call.cluster, call.services));
  }));
  detail.why = std::move(why);
  return call.answer(detail);
}

Result<net::Response> change(Call& call) {
  SICKBAY_ASSIGN(const auto body, call.body<resources::NodeChange>());
  SICKBAY_ASSIGN(Node node, call.node());
  if (body.auto_repair) {
    SICKBAY_ASSIGN(node, call.services.commands.set_auto_repair(node.id, *body.auto_repair, call.person()));
  }
  return call.read([&](store::Tx& tx) -> Result<net::Response> { return call.answer(read_node_view(tx, node)); });
}

Result<net::Response> why(Call& call) {
  SICKBAY_ASSIGN(const Node node, call.node());
  SICKBAY_ASSIGN(auto sentences, call.services.commands.why_node(node.id));
  return call.answer(resources::Why{std::move(sentences)});
}

// What the node's detectors said, newest first, also what opened no alert.
Result<net::Response> findings(Call& call) {
  SICKBAY_ASSIGN(const store::Page page, call.page());
  SICKBAY_ASSIGN(const Node node, call.node());
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    std::vector<resources::StoredFinding> all;
    for (store::StoredFinding& stored : store::list_findings(tx, node.id, page.size)) {
      resources::StoredFinding& shown = all.emplace_back();
      static_cast<Finding&>(shown) = std::move(stored.finding);
      shown.epoch = stored.epoch;
      shown.received_at = stored.received_at;
    }
    return call.answer_list<resources::FindingList>(std::move(all));
  });
}

std::uint32_t& count_of(resources::Pool& pool, resources::NodeState state) {
  switch (state) {
    case resources::NodeState::healthy:
      return pool.healthy;
    case resources::NodeState::booting:
      return pool.booting;
    case resources::NodeState::unhealthy:
      return pool.unhealthy;
    case resources::NodeState::pending:
      return pool.pending;
    case resources::NodeState::paused:
      return pool.paused;
  }
  return pool.unhealthy;
}

Result<net::Response> pools(Call& call) {
  SICKBAY_ASSIGN(auto pools, call.read([&](store::Tx& tx) -> Result<std::vector<resources::Pool>> {
    std::map<std::string, resources::Pool> by_name;
    for (const resources::Node& node : node_views(tx, call.cluster->id)) {
      resources::Pool& pool = by_name[node.pool];
      pool.name = node.pool;
      ++pool.nodes;
      ++count_of(pool, node.state);
    }
    for (const Slot& slot : store::slots_of(tx, call.cluster->id)) {
      if (const auto pool = slot.scope.pool ? by_name.find(*slot.scope.pool) : by_name.end(); pool != by_name.end()) {
        ++pool->second.slots_used;
      }
    }
    std::vector<resources::Pool> all;
    for (auto& [name, pool] : by_name) all.push_back(std::move(pool));
    return all;
  }));
  return call.answer_page<resources::PoolList>(std::move(pools), [](const resources::Pool& pool) { return pool.name; });
}

}  // namespace

std::vector<Route> node_routes() {
  const std::string all = "/v1/compute/clusters/{cluster}/nodes", one = all + "/{node}";
  return {
      {.path = all,
       .run = list,
       .summary = "The nodes of a cluster, by name",
       .parameters = {"state", "pool", "page_size", "page_token"},
       .answer = schema_of<resources::NodeList>},
      {.path = one,
       .run = get,
       .summary = "One node (by id or name) with all that is known of it",
       .answer = schema_of<resources::NodeDetail>},
      {.method = "PATCH",
       .path = one,
       .access = Access::operator_,
       .run = change,
       .summary = "Opts a node out of automatic repair, or in",
       .body = schema_of<resources::NodeChange>,
       .answer = schema_of<resources::Node>},
      {.path = one + "/why",
       .run = why,
       .summary = "Why the node is as it is, in sentences",
       .answer = schema_of<resources::Why>},
      {.path = one + "/findings",
       .run = findings,
       .summary = "What its detectors said, newest first",
       .parameters = {"page_size"},
       .answer = schema_of<resources::FindingList>},
      {.path = "/v1/compute/clusters/{cluster}/pools",
       .run = pools,
       .summary = "The pools of a cluster",
       .parameters = {"page_size", "page_token"},
       .answer = schema_of<resources::PoolList>},
  };
}

}  // namespace sickbay::api
