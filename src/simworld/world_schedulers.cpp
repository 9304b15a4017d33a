// The simulated schedulers: what they say of nodes, and what cordons, drains and uncordons do, as each declares it.
#include <fmt/core.h>

#include <algorithm>

#include "simworld/world.hpp"

namespace sickbay::simworld {

SchedulerCapabilities World::declared(std::string_view scheduler) const {
  const auto found = config_.declared.find(std::string(scheduler));
  if (found != config_.declared.end()) return found->second;
  return {.drain_options = {DrainOption::grace, DrainOption::force_after, DrainOption::force}};
}

namespace {
std::string owner_of(const Membership& in) {
  return in.mark ? in.mark->installation + "/" + in.mark->repair : "";
}
}  // namespace

Reply World::hold(std::string_view installation, const Operation& operation) {
  if (!reachable(operation.adapter)) return {Answer::not_sent, "", "connection refused", {}};
  Entry request = request_of(operation);
  request.scheduler = operation.adapter;
  request.installation = installation;
  request.uid = operation.uid;
  request.version = operation.object_version;
  if (const Membership* in = find(operation.adapter, operation.node_name)) request.saw = owner_of(*in);
  return arrive(std::move(request));
}

Reply World::carry_out_hold(const Entry& request) {
  const Membership* in = find(request.scheduler, request.node);
  const NodeState* node = find(request.node);
  if (!in || !node->listed) {
    // What is not there takes no work and has no mark: only a cordon has nothing to hold on to.
    if (request.kind == OperationKind::uncordon) return {Answer::done, "", "the node is gone", {}};
    return {Answer::refused, "", fmt::format("{} has no node '{}'", request.scheduler, request.node), {}};
  }
  // Without compare-and-swap a late request acts on what its sender saw.
  const bool late = request.until && !declared(request.scheduler).atomic_marks;
  if (!late && !request.uid.empty() && request.uid != in->uid) {
    return {Answer::refused, "", fmt::format("the node is another object, {}, than expected", in->uid), {}};
  }
  if (!late && !request.version.empty() && request.version != std::to_string(in->version)) {
    return {Answer::refused, "", "the node's marks changed since it was looked at", {}};
  }
  Entry effect = request;
  effect.ref = request.n;
  effect.until.reset();
  if (!late) effect.saw = owner_of(*in);
  if (request.kind == OperationKind::cordon) return carry_out_cordon(request, owner_of(*in), std::move(effect));
  if (request.kind == OperationKind::uncordon) return carry_out_uncordon(request, *in, std::move(effect));
  return carry_out_drain(request, *in, std::move(effect));
}

Reply World::carry_out_cordon(const Entry& request, const std::string& owner, Entry effect) {
  if (owner == request.installation + "/" + request.repair) return {Answer::done, "", "held already", {}};
  if (!effect.saw.empty() && !effect.saw.starts_with(request.installation + "/")) {
    return {Answer::refused, "", fmt::format("the node is held by another installation: {}", effect.saw), {}};
  }
  effect.what = What::mark;
  record(effect, true);
  return {Answer::done, "", "", {}};
}

Reply World::carry_out_uncordon(const Entry& request, const Membership& in, Entry effect) {
  const bool ours = effect.saw == request.installation + "/" + request.repair;
  if ((ours || request.force) && in.mark) {
    effect.what = What::unmark;
    record(effect, true);
  }
  // One flag: without compare-and-swap what came after the look ends with it.
  const bool overtaken = ours && request.until && !declared(request.scheduler).atomic_marks;
  if ((request.force || overtaken) && !in.cordons.empty()) {
    effect.what = What::uncordon;
    record(effect, true);
  }
  return {Answer::done, "", ours ? "" : "no mark of this repair was there", {}};
}

Reply World::carry_out_drain(const Entry& request, const Membership& in, Entry effect) {
  if (effect.saw != request.installation + "/" + request.repair) {
    return {Answer::refused, "", "the node does not carry this repair's mark", {}};
  }
  const auto understands = [&](DrainOption option) {
    const SchedulerCapabilities can = declared(request.scheduler);
    return std::ranges::find(can.drain_options, option) != can.drain_options.end();
  };
  const bool force = request.force && understands(DrainOption::force);
  const auto forced_in = understands(DrainOption::force_after) ? request.force_after : std::nullopt;
  const Duration grace =
      understands(DrainOption::grace) && request.grace ? *request.grace : config_.latencies.drain_grace;
  std::vector<std::string> blockers;
  effect.what = What::job_leaves;
  for (const Job& job : std::vector<Job>(in.jobs)) {
    if (job.leaves) continue;
    if (job.blocked && !force && !forced_in) {
      blockers.push_back(fmt::format("{}: its disruption budget allows no eviction", job.id));
      continue;
    }
    effect.job = job.id;
    const Duration leaves_in = force                      ? seconds{1}
                               : job.blocked && forced_in ? *forced_in
                                                          : std::min(grace, forced_in.value_or(grace));
    effect.until = now_ + leaves_in;
    record(effect, false);
  }
  return {in.jobs.empty() ? Answer::done : Answer::accepted, "", fmt::format("{} on it", in.jobs.size()),
          std::move(blockers)};
}

NodeStatus World::status_of(const NodeState& node, const Membership& in, std::string_view installation) const {
  NodeStatus seen;
  seen.name = node.name;
  seen.uid = in.uid;
  seen.version = std::to_string(in.version);
  seen.pool = node.pool;
  seen.ready = node.up && now_ >= node.boot_at + config_.latencies.ready_after;
  seen.cordoned = in.cordoned();
  const bool ours = in.mark && in.mark->installation == installation;
  if (ours) seen.hold_owner = in.mark->repair;
  seen.foreign_mark = !in.cordons.empty() || (in.mark && !ours);
  seen.registered = seen.ready;
  const bool busy = std::ranges::any_of(in.jobs, [](const Job& job) { return !job.light; });
  seen.idleness = busy ? Idleness::busy : Idleness::idle;
  seen.drained = in.jobs.empty();
  seen.labels = {{"pool", node.pool}};
  if (const std::uint32_t gpus = node.name == config_.guest ? 0 : config_.gpus; gpus > 0) {
    seen.capacity = {{"gpu", gpus}};
  }
  for (const Job& job : in.jobs) {
    seen.holders.push_back({.kind = "job", .id = job.id, .name = job.id, .owner = "", .until = job.ends});
    if (job.blocked && !job.leaves) {
      seen.blockers.push_back(fmt::format("{}: its disruption budget allows no eviction", job.id));
    }
  }
  if (declared(in.scheduler).kind == SchedulerKind::slurm) {
    const std::string state = !node.up ? "DOWN" : seen.cordoned ? "DRAIN" : in.jobs.empty() ? "IDLE" : "ALLOCATED";
    seen.conditions = {{"State", state, node.up ? "" : "Not responding", "", {}}};
    seen.ready = seen.ready && !seen.cordoned;  // Slurm calls a drained node unavailable, whoever drained it
  } else {
    seen.conditions = {{"Ready", seen.ready ? "True" : "Unknown", seen.ready ? "KubeletReady" : "NodeStatusUnknown", "",
                        seen.ready ? std::optional<Time>() : std::nullopt}};
  }
  return seen;
}

NodeStatus World::look(std::string_view scheduler, std::string_view installation, std::string_view name) {
  NodeStatus seen;
  seen.name = name;
  if (!reachable(scheduler) || chance(config_.weather.look_fails)) {
    seen.error = fmt::format("{} does not answer", scheduler);
    return seen;
  }
  const Membership* in = find(scheduler, name);
  const NodeState* node = find(name);
  seen.exists = in && node->listed;
  return seen.exists ? view_of(*node, *in, installation) : seen;
}

// Where a scheduler answers from a cache it may say what was so a while ago, and how long ago.
NodeStatus World::view_of(const NodeState& node, const Membership& in, std::string_view installation) {
  const Duration oldest = declared(in.scheduler).view_age;
  if (oldest <= Duration{}) return status_of(node, in, installation);
  auto& [at, view] = views_[fmt::format("{}/{}/{}", in.scheduler, installation, node.name)];
  if (view.name.empty() || now_ - at > oldest || chance(0.05)) at = now_, view = status_of(node, in, installation);
  view.age = now_ - at;
  if (view.age > Duration{}) ++older_views_;
  return view;
}

Result<std::vector<NodeStatus>> World::list(std::string_view scheduler, std::string_view installation) {
  if (!reachable(scheduler) || chance(config_.weather.look_fails)) {
    return fail(Errc::unavailable, fmt::format("{} does not answer", scheduler));
  }
  std::vector<NodeStatus> nodes;
  for (const auto& [name, node] : state_.nodes) {
    const Membership* in = find(scheduler, name);
    if (in && node.listed) nodes.push_back(view_of(node, *in, installation));
  }
  return nodes;
}

}  // namespace sickbay::simworld
