// Nodes and pools.
#include <fmt/core.h>

#include "api/node_view.hpp"
#include "api/routes.hpp"
#include "api/schema.hpp"
#include "store/alerts.hpp"
#include "store/repairs.hpp"

namespace sickbay::api {
namespace {

struct NodeList {
  std::vector<NodeView> nodes;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(NodeList, (), (nodes, has_next, next_page_token), (), ())
};
// The agent as last heard; without the set of its active faults, which the alerts show.
struct AgentView {
  std::uint64_t epoch = 0;
  std::string version, outbox;
  Time hello_at{};
  std::optional<Time> last_heartbeat;
  std::uint64_t dropped = 0, active_faults = 0;
  BOOST_DESCRIBE_CLASS(AgentView, (), (epoch, version, outbox, hello_at, last_heartbeat, dropped, active_faults), (),
                       ())
};
struct NodeDetail : NodeView {
  std::vector<std::string> why;
  std::optional<AgentView> agent;
  std::vector<Observation> schedulers;
  std::vector<Alert> alerts;  // not resolved
  std::vector<Hold> holds;
  BOOST_DESCRIBE_CLASS(NodeDetail, (NodeView), (why, agent, schedulers, alerts, holds), (), ())
};
struct NodeChange {
  std::optional<bool> auto_repair;
  BOOST_DESCRIBE_CLASS(NodeChange, (), (auto_repair), (), ())
};
struct NodeWhy {
  std::vector<std::string> why;
  BOOST_DESCRIBE_CLASS(NodeWhy, (), (why), (), ())
};
struct PoolView {
  std::string name;
  std::uint32_t nodes = 0, healthy = 0, booting = 0, unhealthy = 0, pending = 0, paused = 0, slots_used = 0;
  BOOST_DESCRIBE_CLASS(PoolView, (), (name, nodes, healthy, booting, unhealthy, pending, paused, slots_used), (), ())
};
struct PoolList {
  std::vector<PoolView> pools;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(PoolList, (), (pools, has_next, next_page_token), (), ())
};

Result<net::Response> list(Call& call) {
  SICKBAY_ASSIGN(const store::Page page, call.page());
  SICKBAY_ASSIGN(const auto state, call.choice<NodeState>("state"));
  const auto pool = call.parameter("pool");
  SICKBAY_ASSIGN(auto views, call.read([&](store::Tx& tx) -> Result<std::vector<NodeView>> {
    return node_views(tx, call.cluster->id);
  }));
  std::erase_if(views,
                [&](const NodeView& view) { return (state && view.state != *state) || (pool && view.pool != *pool); });
  auto paged = page_of(std::move(views), page, [](const NodeView& view) { return view.name; });
  return json_response(list_of("nodes", to_array(paged.items), paged.next));
}

Result<net::Response> get(Call& call) {
  SICKBAY_ASSIGN(const Node node, call.node());
  SICKBAY_ASSIGN(auto why, call.services.commands.why_node(node.id));
  SICKBAY_ASSIGN(NodeDetail detail, call.read([&](store::Tx& tx) -> Result<NodeDetail> {
    NodeDetail read;
    static_cast<NodeView&>(read) = read_node_view(tx, node);
    if (const auto session = store::newest_session(tx, node.id)) {
      read.agent = AgentView{session->epoch,
                             session->agent_version,
                             session->outbox,
                             session->hello_at,
                             store::last_heartbeat(tx, node.id, session->epoch),
                             session->dropped,
                             session->active.size()};
    }
    read.schedulers = store::observations_of(tx, node.id);
    read.alerts = store::open_alerts_of_node(tx, node.id);
    read.holds = store::holds_of(tx, node.id);
    return read;
  }));
  detail.why = std::move(why);
  return json_response(to_json(detail));
}

Result<net::Response> change(Call& call) {
  SICKBAY_ASSIGN(const NodeChange body, call.body<NodeChange>());
  SICKBAY_ASSIGN(Node node, call.node());
  if (body.auto_repair) {
    SICKBAY_ASSIGN(node, call.services.commands.set_auto_repair(node.id, *body.auto_repair, call.person()));
  }
  SICKBAY_ASSIGN(const NodeView view,
                 call.read([&](store::Tx& tx) -> Result<NodeView> { return read_node_view(tx, node); }));
  return json_response(to_json(view));
}

Result<net::Response> why(Call& call) {
  SICKBAY_ASSIGN(const Node node, call.node());
  SICKBAY_ASSIGN(auto sentences, call.services.commands.why_node(node.id));
  return json_response(to_json(NodeWhy{std::move(sentences)}));
}

// What the node's detectors said, newest first, also what opened no alert.
Result<net::Response> findings(Call& call) {
  SICKBAY_ASSIGN(const store::Page page, call.page());
  SICKBAY_ASSIGN(const Node node, call.node());
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    json::array items;
    for (const auto& stored : store::list_findings(tx, node.id, page.size)) {
      json::object item = to_json(stored.finding).as_object();
      item["epoch"] = stored.epoch;
      item["received_at"] = format_time(stored.received_at);
      items.push_back(std::move(item));
    }
    return json_response(list_of("findings", std::move(items), ""));
  });
}

Result<net::Response> pools(Call& call) {
  SICKBAY_ASSIGN(const store::Page page, call.page());
  SICKBAY_ASSIGN(auto pools, call.read([&](store::Tx& tx) -> Result<std::vector<PoolView>> {
    std::map<std::string, PoolView> by_name;
    for (const NodeView& node : node_views(tx, call.cluster->id)) {
      PoolView& pool = by_name[node.pool];
      pool.name = node.pool;
      ++pool.nodes;
      ++(node.state == NodeState::healthy     ? pool.healthy
         : node.state == NodeState::booting   ? pool.booting
         : node.state == NodeState::unhealthy ? pool.unhealthy
         : node.state == NodeState::pending   ? pool.pending
                                              : pool.paused);
    }
    for (const Slot& slot : store::slots_of(tx, call.cluster->id)) {
      if (const auto pool = slot.scope.starts_with("pool:") ? by_name.find(slot.scope.substr(5)) : by_name.end();
          pool != by_name.end()) {
        ++pool->second.slots_used;
      }
    }
    std::vector<PoolView> all;
    for (auto& [name, pool] : by_name) all.push_back(std::move(pool));
    return all;
  }));
  auto paged = page_of(std::move(pools), page, [](const PoolView& pool) { return pool.name; });
  return json_response(list_of("pools", to_array(paged.items), paged.next));
}

}  // namespace

std::vector<Route> node_routes() {
  const std::string all = "/v1/compute/clusters/{cluster}/nodes", one = all + "/{node}";
  return {
      {"GET",
       all,
       Access::viewer,
       list,
       "The nodes of a cluster, by name",
       {"state", "pool", "page_size", "page_token"},
       false,
       nullptr,
       schema_of<NodeList>},
      {"GET",
       one,
       Access::viewer,
       get,
       "One node (by id or name) with all that is known of it",
       {},
       false,
       nullptr,
       schema_of<NodeDetail>},
      {"PATCH",
       one,
       Access::operator_,
       change,
       "Opts a node out of automatic repair, or in",
       {},
       false,
       schema_of<NodeChange>,
       schema_of<NodeView>},
      {"GET",
       one + "/why",
       Access::viewer,
       why,
       "Why the node is as it is, in sentences",
       {},
       false,
       nullptr,
       schema_of<NodeWhy>},
      {"GET",
       one + "/findings",
       Access::viewer,
       findings,
       "What its detectors said, newest first",
       {"page_size"},
       false},
      {"GET",
       "/v1/compute/clusters/{cluster}/pools",
       Access::viewer,
       pools,
       "The pools of a cluster",
       {"page_size", "page_token"},
       false,
       nullptr,
       schema_of<PoolList>},
  };
}

}  // namespace sickbay::api
