// Gathering what a node's view is made of.
#include "api/node_view.hpp"

#include <algorithm>
#include <functional>

#include "store/alerts.hpp"
#include "store/nodes.hpp"
#include "store/observations.hpp"
#include "store/operations.hpp"
#include "store/paging.hpp"
#include "store/repairs.hpp"
#include "store/sessions.hpp"
#include "store/sync.hpp"

namespace sickbay::api {
namespace {

constexpr std::size_t kBatch = 1000;

resources::NodeState state_of(const Node& node, bool unhealthy, const std::optional<Repair>& repair) {
  if (node.phase == "PAUSED") return resources::NodeState::paused;
  if (node.phase == "PENDING" || node.phase == "SCHEDULING") return resources::NodeState::pending;
  if (node.phase == "BOOTING" || node.phase == "BOOTSTRAPPING") return resources::NodeState::booting;
  const bool acting = repair && repair->state == RepairState::RUNNING &&
                      (repair->step == RepairStep::act || repair->step == RepairStep::verify);
  if (acting && !repair->person) return resources::NodeState::booting;
  const bool out = node.quarantine || (repair && repair->state >= RepairState::QUARANTINING);
  return unhealthy || out ? resources::NodeState::unhealthy : resources::NodeState::healthy;
}

// Calls `page(token)` until there is no next page.
template <class T, class Page>
void each(Page page, const std::function<void(T&)>& use) {
  store::Page at{kBatch, {}};
  do {
    auto paged = page(at);
    for (T& item : paged.items) use(item);
    at.token = paged.next;
  } while (!at.token.empty());
}

// As the engine takes them: a look that the last complete list agreed with was seen when that list was. Not while the
// node is worked on: a list says nothing of whether it is idle.
std::vector<resources::SchedulerLook> looks_at(store::Tx& tx, const Node& node, const std::optional<Repair>& repair) {
  const bool worked_on = repair && repair->admitted_at;
  const auto confirmed = store::confirmed_by_lists(tx, node.cluster, node.id);
  std::vector<resources::SchedulerLook> looks;
  for (Observation& seen : store::observations_of(tx, node.id)) {
    resources::SchedulerLook& look = looks.emplace_back(std::move(seen));
    const auto listed = confirmed.find(look.scheduler);
    if (!worked_on && listed != confirmed.end()) look.seen_at = std::max(look.seen_at, listed->second);
  }
  return looks;
}

}  // namespace

resources::Node node_view(const Node& node, const std::vector<Alert>& alerts, const std::optional<Repair>& repair) {
  resources::Node view;
  view.id = node.id;
  view.name = node.name;
  view.cluster_id = node.cluster;
  view.pool = node.pool;
  view.host = node.host;
  view.quarantine = node.quarantine;
  view.identity_conflict = node.identity_conflict;
  view.auto_repair = node.auto_repair;
  view.shape = node.shape;
  view.labels = node.labels;
  view.phase = node.phase;
  view.machine_id = node.machine_id;
  view.boot_id = node.boot_id;
  view.boot_started_at = node.boot_started_at;
  view.cooldown_until = node.cooldown_until;

  const Alert* worst = nullptr;  // firing before pending, then the more severe
  for (const Alert& alert : alerts) {
    (alert.state == AlertState::firing ? view.firing : view.pending) += 1;
    const auto rank = [](const Alert& a) { return std::pair(a.state == AlertState::firing, a.severity); };
    if (!worst || rank(alert) > rank(*worst)) worst = &alert;
  }
  const bool unhealthy = std::any_of(alerts.begin(), alerts.end(), [](const Alert& alert) {
    return alert.state == AlertState::firing && alert.severity != Severity::info;
  });
  view.state = state_of(node, unhealthy, repair);
  if (repair) {
    view.repair = resources::NodeRepair{
        repair->id, resources::mode_of(repair->action), repair->state, repair->step, repair->waits_for, repair->person};
  }
  if (repair && repair->person) {
    view.headline = *repair->person;
  } else if (node.identity_conflict) {
    view.headline = *node.identity_conflict;
  } else if (worst) {
    view.headline = worst->first.sentence;
  } else if (node.quarantine) {
    view.headline = node.quarantine->cause;
  }
  return view;
}

std::vector<resources::Node> node_views(store::Tx& tx, std::string_view cluster) {
  std::map<std::string, std::vector<Alert>> alerts;
  for (const AlertState state : {AlertState::firing, AlertState::pending}) {
    store::AlertFilter filter;
    filter.cluster = cluster;
    filter.state = state;
    each<Alert>([&](const store::Page& page) { return store::list_alerts(tx, filter, page); },
                [&](Alert& alert) { alerts[alert.node].push_back(std::move(alert)); });
  }
  std::map<std::string, Repair> repairs;
  store::RepairFilter open;
  open.cluster = cluster;
  open.states = {RepairState::PENDING_APPROVAL, RepairState::PENDING, RepairState::QUARANTINING,
                 RepairState::QUARANTINED, RepairState::RUNNING};
  each<Repair>([&](const store::Page& page) { return store::list_repairs(tx, open, page); },
               [&](Repair& repair) { repairs[repair.node] = std::move(repair); });

  std::vector<resources::Node> views;
  for (const Node& node : store::list_nodes(tx, cluster)) {
    const auto repair = repairs.find(node.id);
    views.push_back(node_view(node, alerts[node.id],
                              repair == repairs.end() ? std::nullopt : std::optional(std::move(repair->second))));
  }
  std::sort(views.begin(), views.end(),
            [](const resources::Node& a, const resources::Node& b) { return a.name < b.name; });
  return views;
}

resources::Node read_node_view(store::Tx& tx, const Node& node) {
  return node_view(node, store::open_alerts_of_node(tx, node.id), store::open_repair_of(tx, node.id));
}

resources::NodeDetail read_node_detail(store::Tx& tx, const Node& node,
                                       std::vector<resources::UnreachableAdapter> unreachable) {
  resources::NodeDetail detail;
  detail.alerts = store::open_alerts_of_node(tx, node.id);
  const auto repair = store::open_repair_of(tx, node.id);
  static_cast<resources::Node&>(detail) = node_view(node, detail.alerts, repair);
  if (const auto session = store::newest_session(tx, node.id)) {
    detail.agent = resources::Agent{session->epoch,
                                    session->agent_version,
                                    session->outbox,
                                    session->hello_at,
                                    store::last_heartbeat(tx, node.id, session->epoch),
                                    session->dropped,
                                    session->active.size()};
  }
  detail.schedulers = looks_at(tx, node, repair);
  std::erase_if(unreachable, [&](const resources::UnreachableAdapter& lost) {
    return lost.adapter != node.provider && std::ranges::find(node.schedulers, lost.adapter) == node.schedulers.end();
  });
  detail.unreachable = std::move(unreachable);
  detail.holds = store::holds_of(tx, node.id);
  return detail;
}

}  // namespace sickbay::api
