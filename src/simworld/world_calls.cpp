// Calls from outside: what becomes of them on the way, and what they do once they arrive.
#include <fmt/core.h>

#include <algorithm>

#include "simworld/world.hpp"

namespace sickbay::simworld {

NodeState* World::find(std::string_view node) {
  const auto found = state_.nodes.find(std::string(node));
  return found == state_.nodes.end() ? nullptr : &found->second;
}

Membership* World::find(std::string_view scheduler, std::string_view node) {
  NodeState* state = find(node);
  if (!state) return nullptr;
  const auto in = std::ranges::find(state->in, scheduler, &Membership::scheduler);
  return in == state->in.end() ? nullptr : &*in;
}

Fate World::draw(bool may_be_late) {
  if (!fates_.empty()) {
    const Fate fate = fates_.front();
    fates_.pop_front();
    return fate;
  }
  if (chance(config_.weather.not_sent)) return Fate::not_sent;
  if (chance(config_.weather.lose_request)) return Fate::lose_request;
  if (may_be_late && chance(config_.weather.late)) return Fate::late;
  if (chance(config_.weather.lose_reply)) return Fate::lose_reply;
  return Fate::deliver;
}

void World::set_reachable(std::string_view adapter, bool reachable) {
  if (reachable) {
    unreachable_.erase(std::string(adapter));
  } else {
    unreachable_.insert(std::string(adapter));
  }
}

namespace {
const Reply nothing_known{Answer::unknown, "", "no answer came before the deadline"};
}

Reply World::arrive(Entry request) {
  const Fate fate = draw(true);
  if (fate == Fate::not_sent) return {Answer::not_sent, "", "connection refused"};
  if (fate == Fate::lose_request) return nothing_known;
  if (fate == Fate::late) {
    const auto most = static_cast<std::uint64_t>(config_.weather.late_by.count());
    request.until = now_ + Duration{1 + static_cast<std::int64_t>(pick(most))};
    record(request, true);
    return nothing_known;
  }
  request.n = written_ + 1;
  record(request, request.kind == OperationKind::act);
  const Reply reply = carry_out(request);
  return fate == Fate::lose_reply ? nothing_known : reply;
}

Reply World::carry_out(const Entry& request) {
  return request.kind == OperationKind::act ? carry_out_act(request) : carry_out_hold(request);
}

namespace {
Entry request_of(const Operation& operation) {
  Entry request;
  request.what = What::request;
  request.node = operation.node_name;
  request.operation = operation.id;
  request.repair = operation.repair;
  request.kind = operation.kind;
  request.action = operation.action;
  request.force = operation.force;
  return request;
}
}  // namespace

// ---- Schedulers

Reply World::hold(std::string_view installation, const Operation& operation) {
  if (!reachable(operation.adapter)) return {Answer::not_sent, "", "connection refused"};
  Entry request = request_of(operation);
  request.scheduler = operation.adapter;
  request.installation = installation;
  return arrive(std::move(request));
}

Reply World::carry_out_hold(const Entry& request) {
  Membership* in = find(request.scheduler, request.node);
  const NodeState* node = find(request.node);
  if (!in || !node->listed) {
    // What is not there takes no work and has no mark: only a cordon has nothing to hold on to.
    if (request.kind == OperationKind::uncordon) return {Answer::done, "", "the node is gone"};
    return {Answer::refused, "", fmt::format("{} has no node '{}'", request.scheduler, request.node)};
  }
  const bool ours = in->mark && in->mark->installation == request.installation && in->mark->repair == request.repair;
  Entry effect = request;
  effect.ref = request.n;
  effect.until.reset();
  if (request.kind == OperationKind::cordon) {
    if (ours) return {Answer::done, "", "held already"};
    if (in->mark && in->mark->installation != request.installation) {
      return {Answer::refused, "", fmt::format("the node is held by another installation, {}", in->mark->installation)};
    }
    effect.what = What::mark;
    record(effect, true);
    return {Answer::done, "", ""};
  }
  if (request.kind == OperationKind::uncordon) {
    if (ours || (request.force && in->mark)) {
      effect.what = What::unmark;
      record(effect, true);
    }
    if (request.force && !in->cordons.empty()) {
      effect.what = What::uncordon;
      record(effect, true);
    }
    return {Answer::done, "", ours ? "" : "no mark of this repair was there"};
  }
  if (!ours) return {Answer::refused, "", "the node does not carry this repair's mark"};
  effect.what = What::job_leaves;
  for (const Job& job : std::vector<Job>(in->jobs)) {
    if (job.leaves || (job.blocked && !request.force)) continue;
    effect.job = job.id;
    effect.until = now_ + (request.force ? seconds{1} : config_.latencies.drain_grace);
    record(effect, false);
  }
  return {in->jobs.empty() ? Answer::done : Answer::accepted, "", fmt::format("{} on it", in->jobs.size())};
}

Observation World::look(std::string_view scheduler, std::string_view installation, std::string_view name) {
  Observation seen;
  seen.node = name;
  seen.scheduler = scheduler;
  if (!reachable(scheduler) || chance(config_.weather.look_fails)) {
    seen.error = fmt::format("{} does not answer", scheduler);
    return seen;
  }
  const Membership* in = find(scheduler, name);
  const NodeState* node = find(name);
  seen.exists = in && node->listed;
  if (!seen.exists) return seen;
  seen.uid = in->uid;
  seen.ready = node->up && now_ >= node->boot_at + config_.latencies.ready_after;
  seen.cordoned = in->cordoned();
  const bool ours = in->mark && in->mark->installation == installation;
  if (ours) seen.hold_owner = in->mark->repair;
  seen.foreign_mark = !in->cordons.empty() || (in->mark && !ours);
  seen.idleness = in->jobs.empty() ? Idleness::idle : Idleness::busy;
  for (const Job& job : in->jobs) {
    seen.work.push_back(job.id);
    if (job.blocked && !job.leaves)
      seen.blockers.push_back(fmt::format("{}: its disruption budget allows no eviction", job.id));
  }
  return seen;
}

Result<std::vector<ListedNode>> World::list(std::string_view scheduler, std::string_view installation) {
  if (!reachable(scheduler) || chance(config_.weather.look_fails)) {
    return fail(Errc::unavailable, fmt::format("{} does not answer", scheduler));
  }
  std::vector<ListedNode> nodes;
  for (const auto& [name, node] : state_.nodes) {
    const Membership* in = find(scheduler, name);
    if (!in || !node.listed) continue;
    const bool ours = in->mark && in->mark->installation == installation;
    nodes.push_back({name,
                     in->uid,
                     node.pool,
                     node.up && now_ >= node.boot_at + config_.latencies.ready_after,
                     in->cordoned(),
                     ours ? in->mark->repair : "",
                     {{"pool", node.pool}}});
  }
  return nodes;
}

// ---- The provider

Reply World::start(const Operation& operation) {
  if (!reachable(config_.provider)) return {Answer::not_sent, "", "connection refused"};
  Entry request = request_of(operation);
  request.kind = OperationKind::act;
  request.boot = operation.boot_before;
  request.target = operation.target_host;
  if (const NodeState* node = find(operation.node_name)) request.host = node->host;
  return arrive(std::move(request));
}

// Why the provider will not carry this out; absent: it will.
std::optional<std::string> World::objection(const Entry& request) const {
  const auto node = state_.nodes.find(request.node);
  if (node == state_.nodes.end() || node->second.removed) return fmt::format("there is no node '{}'", request.node);
  if (std::ranges::find(config_.capabilities.actions, request.action) == config_.capabilities.actions.end()) {
    return fmt::format("this provider cannot {}", name_of(request.action));
  }
  if (config_.capabilities.fenced_by_boot) {
    if (request.boot != node->second.boot) {
      return fmt::format("boot {} was expected, but {} is running", request.boot, node->second.boot);
    }
    for (const auto& [n, effect] : state_.effects) {
      if (effect.node == request.node) return fmt::format("boot {} is being ended already", request.boot);
    }
  }
  if (request.action == Action::migrate && find_spare(node->second, request.target).empty()) {
    return "there is no spare host fit for this node";
  }
  return std::nullopt;
}

std::string World::find_spare(const NodeState& node, std::string_view wanted) const {
  for (const auto& [id, host] : state_.hosts) {
    const bool fits = host.state == "spare" && (host.pool.empty() || host.pool == node.pool) && host.checked_at &&
                      *host.checked_at + hours{7 * 24} >= now_ && (wanted.empty() || wanted == id);
    const bool taken = std::ranges::any_of(state_.effects, [&](const auto& e) { return e.second.target == id; });
    if (fits && !taken) return id;
  }
  return "";
}

Reply World::carry_out_act(const Entry& request) {
  const std::string reference = "task-" + request.operation;
  if (config_.capabilities.dedup_by_operation_id && state_.operations.contains(request.operation)) {
    return {Answer::accepted, reference, "known already"};
  }
  if (const auto why = objection(request)) {
    Entry refused = request;
    refused.what = What::request;
    refused.ref = request.n;
    refused.until.reset();
    refused.outcome = Outcome::undone;
    refused.detail = *why;
    record(refused, true);
    return {Answer::refused, "", *why};
  }
  const NodeState& node = *find(request.node);
  const Latencies& takes = config_.latencies;
  Entry begin = request;
  begin.what = What::begin;
  begin.ref = request.n;
  begin.host = node.host;
  begin.target = request.action == Action::migrate ? find_spare(node, request.target) : "";
  // A fence cannot tell a late repeat of what failed from a new try, so a fenced provider does not fail here.
  const bool fails = !config_.capabilities.fenced_by_boot && chance(config_.weather.fail);
  if (fails) begin.detail = chance(0.5) ? "harmless" : "fatal";
  begin.until = now_ + (request.action == Action::reboot        ? takes.reboot
                        : request.action == Action::power_cycle ? takes.power_cycle
                        : request.action == Action::reprovision ? takes.reprovision
                        : request.action == Action::migrate     ? takes.migrate
                                                                : takes.remove);
  record(begin, true);
  return {Answer::accepted, reference, ""};
}

void World::end_effect(const Entry& begin) {
  const NodeState& node = *find(begin.node);
  Entry end = entry(What::end, begin.node);
  end.ref = begin.n;
  end.operation = begin.operation;
  end.repair = begin.repair;
  end.action = begin.action;
  if (!begin.detail.empty()) {
    end.host = begin.host;
    end.outcome = Outcome::failed;
    end.detail = begin.detail == "harmless" ? "the action failed before it touched the node"
                                            : "the action failed and the node did not come back";
    record(end, true);
    return;
  }
  const bool rebuilt = begin.action == Action::reprovision || begin.action == Action::migrate;
  end.host = begin.action == Action::migrate ? begin.target : begin.action == Action::remove ? "" : begin.host;
  end.boot = begin.action == Action::remove ? "" : new_id("boot-" + begin.node);
  end.machine = rebuilt ? fmt::format("{:016x}{:016x}", config_.seed, 1000000 + written_) : node.machine;
  if (rebuilt) end.uid = new_id("uid-" + begin.node);
  end.outcome = Outcome::succeeded;
  record(end, true);
}

OperationView World::view(std::string_view operation) {
  OperationView view;
  if (!reachable(config_.provider) || chance(config_.weather.look_fails)) {
    view.detail = fmt::format("{} does not answer", config_.provider);
    return view;
  }
  const auto found = state_.operations.find(std::string(operation));
  if (found == state_.operations.end()) return {Progress::not_seen, "no such operation is known", "", ""};
  return {found->second.progress, found->second.detail, found->second.host, found->second.machine};
}

Result<std::vector<ListedHost>> World::hosts() {
  if (!reachable(config_.provider) || chance(config_.weather.look_fails)) {
    return fail(Errc::unavailable, fmt::format("{} does not answer", config_.provider));
  }
  std::vector<ListedHost> hosts;
  const Shape shape{fmt::format("{}x10de:2330", config_.gpus), config_.gpus};
  const Shape guest{"real", 0};
  for (const auto& [id, host] : state_.hosts) {
    const bool real = !config_.guest.empty() && host.node == config_.guest;
    hosts.push_back({id, host.node, host.pool, host.state, real ? guest : shape, host.checked_at});
  }
  return hosts;
}

bool World::is_pending(std::string_view operation) const {
  const auto is_its = [&](const auto& item) { return item.second.operation == operation; };
  return std::ranges::any_of(state_.late, is_its) || std::ranges::any_of(state_.effects, is_its);
}

}  // namespace sickbay::simworld
