// One cluster at a glance: is it healthy, what waits for a person, how long do repairs take.
#include "resources/summary.hpp"

#include <fmt/core.h>

#include "api/adapter_view.hpp"
#include "api/node_view.hpp"
#include "api/routes.hpp"
#include "api/schema.hpp"
#include "store/hosts.hpp"
#include "store/repairs.hpp"
#include "store/work.hpp"

namespace sickbay::api {
namespace {

std::optional<Duration> median(std::vector<Duration> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// When the repair first came to the step; empty optional where it never did.
std::optional<Time> reached(const Repair& repair, RepairStep step) {
  for (const StepTime& time : repair.steps) {
    if (time.step == step) return time.at;
  }
  return std::nullopt;
}

resources::TimeToReturn time_to_return(const std::vector<Repair>& repairs) {
  resources::TimeToReturn out;
  std::vector<Duration> approval, wait, action, verify, whole;
  const auto add = [](std::vector<Duration>& to, std::optional<Time> from, std::optional<Time> until) {
    if (from && until && *until >= *from) to.push_back(*until - *from);
  };
  for (const Repair& repair : repairs) {
    ++out.repairs;
    const auto queued = reached(repair, RepairStep::queued), act = reached(repair, RepairStep::act);
    const auto verified = reached(repair, RepairStep::verify), back = reached(repair, RepairStep::give_back);
    add(approval, repair.created_at, queued);
    add(wait, queued, act);
    add(action, act, verified);
    add(verify, verified, back);
    add(whole, repair.created_at, repair.ended_at);
  }
  out.approval = median(std::move(approval));
  out.wait = median(std::move(wait));
  out.action = median(std::move(action));
  out.verify = median(std::move(verify));
  out.whole = median(std::move(whole));
  return out;
}

// "slurm, able do not answer"; "" where all do.
std::string what_is_unseen(const resources::Summary& summary) {
  std::string names;
  for (const resources::UnreachableAdapter& lost : summary.unreachable) {
    names += (names.empty() ? "" : ", ") + lost.adapter;
  }
  return names.empty() ? "" : names + (summary.unreachable.size() == 1 ? " does not answer" : " do not answer");
}

std::string headline_of(const resources::Summary& summary) {
  if (summary.breaker.open) return "The circuit breaker is open: " + summary.breaker.why;
  if (!summary.waiting_for_a_person.empty()) {
    return std::to_string(summary.waiting_for_a_person.size()) + " repairs wait for a person to decide";
  }
  if (!summary.failing_turns.empty()) {
    const resources::FailingTurn& first = summary.failing_turns.front();
    return fmt::format("{}{} cannot be decided about: {}", name_of(first.kind),
                       first.node_name.empty() ? "" : " " + first.node_name, first.error);
  }
  if (summary.observe_only) return "Only looking: nothing is sent until a person confirms";
  const auto healthy = summary.nodes_by_state.find("healthy");
  const std::uint64_t well = healthy == summary.nodes_by_state.end() ? 0 : healthy->second;
  const std::string unseen = what_is_unseen(summary);
  if (summary.nodes == 0) return unseen.empty() ? "There are no nodes yet" : "No node is known yet: " + unseen;
  if (well == summary.nodes) {
    return unseen.empty() ? fmt::format("All {} nodes are healthy", summary.nodes)
                          : "No node is known to be unhealthy, but not all can be seen: " + unseen;
  }
  return fmt::format("{} of {} nodes are not healthy", summary.nodes - well, summary.nodes) +
         (unseen.empty() ? "" : ", and not all can be seen: " + unseen);
}

Result<net::Response> get(Call& call) {
  const decide::SafetyState caution = call.services.caution();
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    resources::Summary summary;
    summary.cluster_id = call.cluster->id;
    summary.cluster_name = call.cluster->name;
    summary.breaker = call.cluster->breaker;
    summary.policy_version = call.cluster->policy_version;
    summary.observe_only = caution.observe_only;
    summary.clock_diverged = caution.deadlines_frozen;
    summary.ingest_lagging = caution.ingest_lagging;
    for (const resources::Node& node : node_views(tx, call.cluster->id)) {
      ++summary.nodes;
      ++summary.nodes_by_state[name_of(node.state)];
      summary.firing += node.firing;
      summary.pending += node.pending;
      if (!node.repair) continue;
      ++summary.open_repairs_by_state[name_of(node.repair->state)];
      if (node.repair->person)
        summary.waiting_for_a_person.push_back({node.repair->id, node.name, *node.repair->person});
    }
    for (store::FailingWork& failing : store::failing_work(tx, call.cluster->id)) {
      summary.failing_turns.push_back(
          {failing.kind, std::move(failing.node_name), failing.failures, std::move(failing.error), failing.due});
    }
    for (const Host& host : store::list_hosts(tx, call.cluster->id)) ++summary.hosts_by_state[name_of(host.state)];
    store::RepairFilter done;
    done.cluster = call.cluster->id;
    done.states = {RepairState::SUCCEEDED};
    summary.time_to_return = time_to_return(store::list_repairs(tx, done, {200, {}}).items);
    summary.unreachable = unreachable_adapters(tx, *call.cluster, call.services);
    summary.headline = headline_of(summary);
    return call.answer(summary);
  });
}

}  // namespace

std::vector<Route> summary_routes() {
  return {{.path = "/v1/compute/clusters/{cluster}/summary",
           .run = get,
           .summary = "The cluster at a glance, and what of it cannot be seen now",
           .answer = schema_of<resources::Summary>}};
}

}  // namespace sickbay::api
