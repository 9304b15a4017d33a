// What each path of the world's socket does.
#include "simworld/service.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace sickbay::simworld {

namespace {

// Bodies of the demonstration's calls; what is left out has these values.
struct FaultBody {
  std::string node, fault;
  std::uint32_t gpu = 0, repeats = 1;
  bool persistent = false;  // the hardware is broken: only another host cures it
  BOOST_DESCRIBE_CLASS(FaultBody, (), (node, fault, gpu, repeats, persistent), (), ())
};
struct StormBody {
  std::string fault = "xid-119";
  std::uint32_t nodes = 0;  // 0: a third of them
  bool persistent = false;
  BOOST_DESCRIBE_CLASS(StormBody, (), (fault, nodes, persistent), (), ())
};
struct NodeBody {
  std::string node, scheduler, by = "somebody";
  std::uint32_t seconds = 300;
  bool blocked = false, light = false;
  BOOST_DESCRIBE_CLASS(NodeBody, (), (node, scheduler, by, seconds, blocked, light), (), ())
};
struct ReachableBody {
  std::string adapter;
  bool reachable = true;
  BOOST_DESCRIBE_CLASS(ReachableBody, (), (adapter, reachable), (), ())
};
struct HoldBody {
  std::string installation;
  Operation operation;
  BOOST_DESCRIBE_CLASS(HoldBody, (), (installation, operation), (), ())
};

int status_of(Errc code) {
  switch (code) {
    case Errc::invalid:
      return 400;
    case Errc::not_found:
      return 404;
    case Errc::conflict:
      return 409;
    case Errc::unavailable:
      return 503;
    default:
      return 500;
  }
}

json::value done() {
  return json::object{{"done", true}};
}

json::object node_view(const NodeState& node) {
  json::array in, faults;
  for (const Membership& each : node.in) {
    json::array work(each.jobs.size());
    std::ranges::transform(each.jobs, work.begin(), [](const Job& job) { return json::value(job.id); });
    json::array cordons(each.cordons.begin(), each.cordons.end());
    in.push_back(json::object{{"scheduler", each.scheduler},
                              {"mark", each.mark ? json::value(each.mark->repair) : json::value(nullptr)},
                              {"cordons", cordons},
                              {"work", work}});
  }
  for (const ActiveFault& fault : node.faults) {
    faults.push_back(json::object{{"fault", fault.kind}, {"gpu", fault.gpu}, {"cured_by", name_of(fault.cured_by)}});
  }
  return {{"name", node.name},       {"pool", node.pool}, {"host", node.host},
          {"machine", node.machine}, {"boot", node.boot}, {"up", node.up},
          {"removed", node.removed}, {"in", in},          {"faults", faults}};
}

}  // namespace

void Service::tick() {
  const std::lock_guard lock(mutex_);
  world_.advance(clock_.now());
}

net::Response Service::handle(const net::Request& request) {
  const auto target = net::parse_target(request.target);
  const auto answer = target ? route(request, *target) : Result<json::value>(tl::unexpected(target.error()));
  net::Response response;
  response.headers = {{"Content-Type", "application/json"}};
  if (answer) {
    response.body = json::serialize(*answer);
  } else {
    response.status = status_of(answer.error().code);
    response.headers = {{"Content-Type", "application/problem+json"}};
    response.body = json::serialize(json::object{{"title", net::reason_of(response.status)},
                                                 {"status", response.status},
                                                 {"detail", answer.error().message},
                                                 {"field", answer.error().field}});
  }
  return response;
}

Result<json::value> Service::route(const net::Request& request, const net::Target& target) {
  if (request.method == "GET") {
    return with_world([&](World&) { return get(target); });
  }
  if (request.method != "POST") return fail(Errc::invalid, "only GET and POST are known here");
  SICKBAY_ASSIGN(const json::value body, parse_json(request.body.empty() ? "{}" : request.body));
  return with_world([&](World&) { return post(target, body); });
}

Result<json::value> Service::get(const net::Target& target) {
  const auto& path = target.path;
  std::string installation;
  for (const auto& [name, value] : target.query) {
    if (name == "installation") installation = value;
  }
  if (path == std::vector<std::string>{"healthz"}) return done();
  if (path.size() >= 2 && path[0] == "v1" && path[1] == "state") {
    json::array nodes, hosts;
    for (const auto& [name, node] : world_.state().nodes) nodes.push_back(node_view(node));
    for (const auto& [id, host] : world_.state().hosts) {
      hosts.push_back(json::object{
          {"id", id}, {"state", name_of(host.state)}, {"nodes", to_json(host.nodes)}, {"pool", host.pool}});
    }
    return json::object{{"now", to_json(world_.now())}, {"nodes", nodes}, {"hosts", hosts}};
  }
  if (path.size() == 3 && path[1] == "demo" && path[2] == "faults") {
    json::array kinds;
    for (const FaultKind& kind : fault_kinds()) {
      kinds.push_back(json::object{{"fault", kind.name}, {"what", kind.what}, {"cured_by", name_of(kind.cured_by)}});
    }
    return kinds;
  }
  if (path.size() >= 4 && path[1] == "schedulers" && path[3] == "nodes") {
    const auto& known = world_.config().schedulers;
    if (std::ranges::find(known, path[2]) == known.end()) {
      return fail(Errc::not_found, fmt::format("there is no scheduler '{}'", path[2]));
    }
    if (path.size() == 5) return to_json(world_.look(path[2], installation, path[4]));
    SICKBAY_ASSIGN(const std::vector<NodeStatus> nodes, world_.list(path[2], installation));
    return to_json(nodes);
  }
  if (path.size() >= 3 && path[1] == "provider") {
    if (path[2] == "capabilities") {
      SICKBAY_ASSIGN(const ProviderCapabilities capabilities, world_.capabilities());
      return to_json(capabilities);
    }
    if (path[2] == "operations" && path.size() == 4) return to_json(world_.view(path[3]));
    if (path[2] == "hosts") {
      SICKBAY_ASSIGN(const std::vector<ListedHost> hosts, world_.hosts());
      return to_json(hosts);
    }
  }
  return fail(Errc::not_found, "there is nothing at this path");
}

Result<json::value> Service::post(const net::Target& target, const json::value& body) {
  const auto& path = target.path;
  if (path == std::vector<std::string>{"v1", "hold"}) {
    SICKBAY_ASSIGN(const HoldBody hold, from_json<HoldBody>(body));
    return to_json(world_.hold(hold.installation, hold.operation));
  }
  if (path == std::vector<std::string>{"v1", "provider", "start"}) {
    SICKBAY_ASSIGN(const Operation operation, from_json<Operation>(body));
    return to_json(world_.start(operation));
  }
  if (path == std::vector<std::string>{"v1", "provider", "cancel"}) {
    SICKBAY_ASSIGN(const Operation operation, from_json<Operation>(body));
    return to_json(world_.cancel(operation));
  }
  if (path.size() == 3 && path[1] == "demo") return demo(path[2], body);
  return fail(Errc::not_found, "there is nothing at this path");
}

Result<json::value> Service::demo(std::string_view what, const json::value& body) {
  if (what == "fault") {
    SICKBAY_ASSIGN(const FaultBody order, from_json<FaultBody>(body, Reading::strict));
    const auto cure = order.persistent ? std::optional(Action::migrate) : std::nullopt;
    SICKBAY_CHECK(world_.inject({order.node, order.fault, order.gpu, cure, std::min(order.repeats, 10'000U)}));
    return done();
  }
  if (what == "storm") {
    SICKBAY_ASSIGN(const StormBody order, from_json<StormBody>(body, Reading::strict));
    const auto all = static_cast<std::uint32_t>(world_.state().nodes.size());
    std::uint32_t wanted = order.nodes == 0 ? all / 3 : order.nodes;
    json::array hit;
    for (const auto& [name, node] : world_.state().nodes) {
      if (wanted == 0) break;
      if (!node.up || node.removed || !node.faults.empty() || name == world_.config().guest) continue;
      const auto cure = order.persistent ? std::optional(Action::migrate) : std::nullopt;
      SICKBAY_CHECK(world_.inject({name, order.fault, 0, cure}));
      hit.push_back(json::value(name));
      --wanted;
    }
    return json::object{{"nodes", hit}};
  }
  if (what == "weather") {
    SICKBAY_CHECK(read_json(body, world_.weather(), Reading::strict));
    return to_json(world_.weather());
  }
  if (what == "reachable") {
    SICKBAY_ASSIGN(const ReachableBody order, from_json<ReachableBody>(body, Reading::strict));
    world_.set_reachable(order.adapter, order.reachable);
    return done();
  }
  SICKBAY_ASSIGN(NodeBody order, from_json<NodeBody>(body, Reading::strict));
  const auto node = world_.state().nodes.find(order.node);
  if (node == world_.state().nodes.end()) {
    return fail(Errc::not_found, fmt::format("there is no node '{}'; names look like gpu-000", order.node), "node");
  }
  if (order.scheduler.empty() && !node->second.in.empty()) order.scheduler = node->second.in.front().scheduler;
  Status status = fail(Errc::not_found, fmt::format("'{}' is nothing this world can be asked for", what));
  if (what == "job")
    status = world_.start_job(order.scheduler, order.node, seconds{order.seconds}, order.blocked, order.light);
  if (what == "cordon") status = world_.cordon(order.scheduler, order.node, order.by);
  if (what == "uncordon") status = world_.uncordon(order.scheduler, order.node, order.by);
  if (what == "crash") status = world_.crash(order.node);
  if (what == "die") status = world_.die(order.node);
  SICKBAY_CHECK(status);
  return done();
}

}  // namespace sickbay::simworld
