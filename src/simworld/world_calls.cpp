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
const Reply nothing_known{Answer::unknown, "", "no answer came before the deadline", {}};
}

Reply World::arrive(Entry request) {
  const Fate fate = draw(true);
  if (fate == Fate::not_sent) return {Answer::not_sent, "", "connection refused", {}};
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

Entry request_of(const Operation& operation) {
  Entry request;
  request.what = What::request;
  request.node = operation.node_name;
  request.operation = operation.id;
  request.repair = operation.repair;
  request.kind = operation.kind;
  request.action = operation.action;
  request.force = operation.force;
  request.grace = operation.drain.grace;
  request.force_after = operation.drain.force_after;
  return request;
}

Reply World::carry_out(const Entry& request) {
  return request.kind == OperationKind::act ? carry_out_act(request) : carry_out_hold(request);
}

// ---- The provider

Reply World::start(const Operation& operation) {
  if (!reachable(config_.provider)) return {Answer::not_sent, "", "connection refused", {}};
  Entry request = request_of(operation);
  request.kind = OperationKind::act;
  request.boot = operation.boot_before;
  request.target = operation.target_host;
  if (const NodeState* node = find(operation.node_name)) request.host = node->host;
  return arrive(std::move(request));
}

Reply World::cancel(const Operation& operation) {
  if (!reachable(config_.provider)) return {Answer::not_sent, "", "connection refused", {}};
  const auto& can = config_.capabilities.cancellable;
  if (std::ranges::find(can, operation.action) == can.end()) {
    return {Answer::refused, "", fmt::format("a {} cannot be recalled here", name_of(operation.action)), {}};
  }
  if (state_.recalled.contains(operation.id)) return {Answer::done, "", "recalled already", {}};
  const auto is_its = [&](const auto& item) { return item.second.operation == operation.id; };
  const auto queued = std::ranges::find_if(state_.late, is_its);
  if (queued == state_.late.end() && state_.operations.contains(operation.id)) {
    return {Answer::refused, "", "it has begun", {}};
  }
  Entry recalled = request_of(operation);
  recalled.what = What::recalled;
  if (queued != state_.late.end()) recalled.ref = queued->first;
  record(recalled, true);
  return {Answer::done, "", "it will not be carried out any more", {}};
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
    const bool fits = host.state == sickbay::HostState::spare && (host.pool.empty() || host.pool == node.pool) &&
                      host.checked_at && *host.checked_at + hours{7 * 24} >= now_ && (wanted.empty() || wanted == id);
    const bool taken = std::ranges::any_of(state_.effects, [&](const auto& e) { return e.second.target == id; });
    if (fits && !taken) return id;
  }
  return "";
}

Reply World::carry_out_act(const Entry& request) {
  const std::string reference = "task-" + request.operation;
  if (state_.recalled.contains(request.operation)) return {Answer::refused, "", "it was recalled", {}};
  const bool from_queue = request.until && request.by == "queue";
  if (!from_queue && config_.capabilities.dedup_by_operation_id && state_.operations.contains(request.operation)) {
    return {Answer::accepted, reference, "known already", {}};
  }
  // A queue knows what is in it: the same operation is not taken on beside itself.
  const auto queued_before = [&](const auto& item) {
    return item.second.by == "queue" && item.second.operation == request.operation;
  };
  if (!from_queue && std::ranges::any_of(state_.late, queued_before)) {
    return {Answer::accepted, reference, "queued already", {}};
  }
  if (const auto why = objection(request)) {
    Entry refused = request;
    refused.what = What::request;
    refused.ref = request.n;
    refused.until.reset();
    refused.outcome = Outcome::undone;
    refused.detail = *why;
    record(refused, true);
    return {Answer::refused, "", *why, {}};
  }
  if (!from_queue && config_.latencies.queue > Duration{}) {
    Entry queued = request;
    queued.what = What::request;
    queued.ref = request.n;
    queued.by = "queue";
    queued.until = now_ + config_.latencies.queue;
    record(queued, true);
    return {Answer::accepted, reference, "queued", {}};
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
  begin.by.clear();
  record(begin, true);
  return {Answer::accepted, reference, "", {}};
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
  disturb_marks(begin);
}

// What the provider's own action does to marks, as it declares (`scontrol reboot` ends a drain).
void World::disturb_marks(const Entry& begin) {
  const NodeState* node = find(begin.node);
  if (!node || node->removed) return;
  for (const Membership& in : std::vector<Membership>(node->in)) {
    if (!config_.capabilities.disturbs_marks(begin.action, declared(in.scheduler).kind)) continue;
    Entry lost = entry(What::unmark, begin.node);
    lost.scheduler = in.scheduler;
    lost.by = "the provider's " + name_of(begin.action);
    if (in.mark) record(lost, true);
    lost.what = What::uncordon;
    if (!in.cordons.empty()) record(lost, true);
  }
}

Result<ProviderCapabilities> World::capabilities() {
  if (!reachable(config_.provider) || chance(config_.weather.look_fails)) {
    return fail(Errc::unavailable, fmt::format("{} does not answer", config_.provider));
  }
  return config_.capabilities;
}

OperationView World::view(std::string_view operation) {
  OperationView view;
  if (!reachable(config_.provider) || chance(config_.weather.look_fails)) {
    view.detail = fmt::format("{} does not answer", config_.provider);
    return view;
  }
  const auto found = state_.operations.find(std::string(operation));
  if (found == state_.operations.end()) return {Progress::not_seen, "no such operation is known", ""};
  return {found->second.progress, found->second.detail, found->second.host};
}

Result<std::vector<ListedHost>> World::hosts() {
  if (!reachable(config_.provider) || chance(config_.weather.look_fails)) {
    return fail(Errc::unavailable, fmt::format("{} does not answer", config_.provider));
  }
  std::vector<ListedHost> hosts;
  const Shape shape{fmt::format("{}x10de:2330", config_.gpus), config_.gpus};
  const Shape guest{"real", 0};
  for (const auto& [id, host] : state_.hosts) {
    const bool real = !config_.guest.empty() && host.nodes == std::vector{config_.guest};
    hosts.push_back({id, host.pool, host.nodes, host.state, real ? guest : shape, host.checked_at});
  }
  return hosts;
}

bool World::is_pending(std::string_view operation) const {
  const auto is_its = [&](const auto& item) { return item.second.operation == operation; };
  return std::ranges::any_of(state_.late, is_its) || std::ranges::any_of(state_.effects, is_its);
}

}  // namespace sickbay::simworld
