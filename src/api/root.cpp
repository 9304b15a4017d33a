// What is at the root: is it alive, is it ready, its own metrics, and the description of the API.
#include <fmt/core.h>

#include "api/adapter_view.hpp"
#include "api/api.hpp"
#include "api/node_view.hpp"
#include "api/routes.hpp"
#include "api/schema.hpp"
#include "base/expect.hpp"
#include "base/text.hpp"
#include "resources/server.hpp"
#include "store/clusters.hpp"
#include "store/work.hpp"

namespace sickbay::api {
namespace {

Result<net::Response> healthz(Call& call) {
  return call.answer(resources::Alive{});
}

Result<net::Response> readyz(Call& call) {
  const auto now = call.services.store.now();
  if (!now) return fail(Errc::unavailable, "the database does not answer: " + now.error().message);
  resources::Ready ready;
  ready.version = call.services.version;
  return call.answer(ready);
}

Result<net::Response> openapi(Call& call) {
  return json_response(call.api.openapi());
}

// Label values in Prometheus' text format.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : to_utf8(text)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

class Metrics {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  template <class Value>
  void sample(std::string_view name, const std::string& labels, Value value) {
    text_ += labels.empty() ? fmt::format("{} {}\n", name, value) : fmt::format("{}{{{}}} {}\n", name, labels, value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

struct ClusterCounts {
  std::string name;
  bool breaker = false;
  std::map<std::string, std::uint64_t> nodes, alerts, repairs;
  std::vector<resources::UnreachableAdapter> unreachable;
  std::size_t failing = 0;
};

Result<std::vector<ClusterCounts>> count(Call& call) {
  return call.read([&](store::Tx& tx) -> Result<std::vector<ClusterCounts>> {
    std::vector<ClusterCounts> all;
    for (const Cluster& cluster : store::list_clusters(tx)) {
      if (!call.caller->sees(cluster.id)) continue;
      ClusterCounts counts;
      counts.name = cluster.name;
      counts.breaker = cluster.breaker.open;
      counts.unreachable = unreachable_adapters(tx, cluster, call.services);
      counts.failing = store::failing_work(tx, cluster.id).size();
      for (const resources::Node& node : node_views(tx, cluster.id)) {
        ++counts.nodes[name_of(node.state)];
        counts.alerts["firing"] += node.firing;
        counts.alerts["pending"] += node.pending;
        if (node.repair) ++counts.repairs[name_of(node.repair->state)];
      }
      all.push_back(std::move(counts));
    }
    return all;
  });
}

Result<net::Response> metrics(Call& call) {
  SICKBAY_ASSIGN(const auto clusters, count(call));
  Metrics out;
  const auto each = [&](std::string_view name, std::string_view help, const auto member) {
    out.family(name, "gauge", help);
    for (const ClusterCounts& cluster : clusters) {
      for (const auto& [state, value] : cluster.*member) {
        out.sample(name, fmt::format("cluster=\"{}\",state=\"{}\"", quoted(cluster.name), state), value);
      }
    }
  };
  each("sickbay_nodes", "Nodes by state.", &ClusterCounts::nodes);
  each("sickbay_alerts", "Alerts that are not resolved, by state.", &ClusterCounts::alerts);
  each("sickbay_open_repairs", "Repairs that have not ended, by state.", &ClusterCounts::repairs);
  out.family("sickbay_breaker_open", "gauge", "1 while the circuit breaker is open.");
  for (const ClusterCounts& cluster : clusters) {
    out.sample("sickbay_breaker_open", fmt::format("cluster=\"{}\"", quoted(cluster.name)), cluster.breaker ? 1 : 0);
  }
  out.family("sickbay_adapter_unreachable", "gauge", "1 while an adapter does not answer, or has not yet.");
  for (const ClusterCounts& cluster : clusters) {
    for (const resources::UnreachableAdapter& lost : cluster.unreachable) {
      out.sample("sickbay_adapter_unreachable",
                 fmt::format("cluster=\"{}\",adapter=\"{}\"", quoted(cluster.name), quoted(lost.adapter)), 1);
    }
  }
  out.family("sickbay_failing_turns", "gauge",
             "Nodes and the like that nothing is decided about: a turn fails again and again.");
  for (const ClusterCounts& cluster : clusters) {
    out.sample("sickbay_failing_turns", fmt::format("cluster=\"{}\"", quoted(cluster.name)), cluster.failing);
  }
  out.family("sickbay_ingest_lag_seconds", "gauge", "How late findings are made durable.");
  out.sample("sickbay_ingest_lag_seconds", "", static_cast<double>(call.services.intake.lag().count()) / 1e6);
  out.family("sickbay_broken_expectations_total", "counter", "What must hold and did not: bugs of this server.");
  out.sample("sickbay_broken_expectations_total", "", static_cast<double>(broken_expectations()));
  if (call.services.http) {
    const net::ServerCounters http = call.services.http();
    out.family("sickbay_http_requests_total", "counter", "Requests answered.");
    out.sample("sickbay_http_requests_total", "", http.requests);
    out.family("sickbay_http_refused_total", "counter", "Requests refused before they were looked at.");
    out.sample("sickbay_http_refused_total", "", http.refused);
    out.family("sickbay_http_connections", "gauge", "Connections now.");
    out.sample("sickbay_http_connections", "", http.connections);
    out.family("sickbay_http_streams", "gauge", "Event streams now.");
    out.sample("sickbay_http_streams", "", http.streams);
  }
  net::Response response;
  response.headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}, {"Cache-Control", "no-store"}};
  response.body = out.take();
  return response;
}

}  // namespace

std::vector<Route> root_routes() {
  return {
      {.path = "/healthz",
       .access = Access::open,
       .run = healthz,
       .summary = "The process lives",
       .answer = schema_of<resources::Alive>},
      {.path = "/readyz",
       .access = Access::open,
       .run = readyz,
       .summary = "It can serve: its database answers",
       .answer = schema_of<resources::Ready>},
      {.path = "/metrics", .run = metrics, .summary = "Its own metrics, for Prometheus"},
      {.path = "/openapi.json", .access = Access::open, .run = openapi, .summary = "This description"},
  };
}

}  // namespace sickbay::api
