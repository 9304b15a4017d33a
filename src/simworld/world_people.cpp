// What people, foreign controllers and misfortune do to the world.
#include <fmt/core.h>

#include "simworld/world.hpp"

namespace sickbay::simworld {

Result<NodeState*> World::need(std::string_view node) {
  if (NodeState* found = find(node); found && !found->removed) return found;
  return fail(Errc::not_found, fmt::format("there is no node '{}'; names look like gpu-000", node), "node");
}

Result<Membership*> World::need(std::string_view scheduler, std::string_view node) {
  SICKBAY_ASSIGN(const NodeState* found, need(node));
  if (Membership* in = find(scheduler, node)) return in;
  return fail(Errc::not_found,
              fmt::format("node '{}' is not in '{}' but in '{}'", found->name, scheduler,
                          found->in.empty() ? "none" : found->in.front().scheduler),
              "scheduler");
}

Status World::cordon(std::string_view scheduler, std::string_view node, std::string_view by) {
  SICKBAY_ASSIGN(const Membership* in, need(scheduler, node));
  // One bit for everybody: who cordons a cordoned node changes nothing and leaves no trace.
  if (in->mark && !declared(scheduler).foreign_cordon_visible) return {};
  Entry cordon = entry(What::cordon, node);
  cordon.scheduler = scheduler;
  cordon.by = by;
  record(cordon, true);
  return {};
}

Status World::uncordon(std::string_view scheduler, std::string_view node, std::string_view by) {
  SICKBAY_CHECK(drop_mark(scheduler, node, by));
  Entry uncordon = entry(What::uncordon, node);
  uncordon.scheduler = scheduler;
  uncordon.by = by;
  record(uncordon, true);
  return {};
}

Status World::drop_mark(std::string_view scheduler, std::string_view node, std::string_view by) {
  SICKBAY_ASSIGN(const Membership* in, need(scheduler, node));
  if (!in->mark) return {};
  Entry dropped = entry(What::unmark, node);
  dropped.scheduler = scheduler;
  dropped.by = by;
  record(dropped, true);
  return {};
}

Status World::inject(const FaultOrder& order) {
  SICKBAY_ASSIGN(const NodeState* node, need(order.node));
  const FaultKind* kind = find_fault_kind(order.fault);
  if (!kind) {
    std::string known;
    for (const FaultKind& each : fault_kinds()) known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
    return fail(Errc::invalid, fmt::format("'{}' is no fault this world knows; it knows {}", order.fault, known),
                "fault");
  }
  if (order.gpu >= config_.gpus) {
    return fail(Errc::invalid, fmt::format("gpu {} is not there: nodes have {}", order.gpu, config_.gpus), "gpu");
  }
  if (!node->up) return fail(Errc::conflict, fmt::format("node '{}' is down and prints nothing", order.node), "node");
  for (std::uint32_t i = 0; i < order.repeats; ++i) {
    Entry fault = entry(What::fault, order.node);
    fault.fault = order.fault;
    fault.gpu = order.gpu;
    fault.action = order.cured_by.value_or(kind->cured_by);
    fault.by = i == 0 ? "misfortune" : "hardware";  // repeats print again but are the same fault
    record(fault, false);
  }
  return {};
}

Status World::start_job(std::string_view scheduler, std::string_view node, Duration length, bool blocked, bool light) {
  SICKBAY_ASSIGN(const Membership* in, need(scheduler, node));
  const NodeState& state = *find(node);
  if (in->cordoned() || !state.up || !state.listed) {
    return fail(Errc::conflict, fmt::format("node '{}' takes no work now", node), "node");
  }
  Entry job = entry(What::job, node);
  job.scheduler = scheduler;
  job.job = new_id("job");
  job.blocked = blocked;
  job.light = light;
  job.until = now_ + length;
  record(job, false);
  return {};
}

Status World::crash(std::string_view node) {
  SICKBAY_ASSIGN(const NodeState* found, need(node));
  for (const auto& [n, effect] : state_.effects) {
    if (effect.node == node) return fail(Errc::conflict, fmt::format("node '{}' is being acted on", node), "node");
  }
  Entry boot = entry(What::boot, found->name);
  boot.boot = new_id("boot-" + found->name);
  boot.by = "misfortune";
  record(boot, true);
  return {};
}

Status World::die(std::string_view node) {
  SICKBAY_CHECK(need(node));
  Entry dead = entry(What::dead, node);
  dead.by = "misfortune";
  record(dead, true);
  return {};
}

Status World::mend(std::string_view node) {
  SICKBAY_CHECK(need(node));
  Entry mended = entry(What::mended, node);
  mended.by = "technician";
  record(mended, false);
  return {};
}

}  // namespace sickbay::simworld
