// Steps verify, give_back and undo: a node goes back only after it was seen to be what the action promised, and its
// marks are seen to be gone before the repair ends.
#include <fmt/ranges.h>

#include <algorithm>

#include "decide/advance.hpp"
#include "decide/alerts.hpp"
#include "decide/holds.hpp"

namespace sickbay::decide {

namespace {

// An alert that says the repair did not help: it stands on what was seen since the act, or must be proved away.
bool contradicts(const Turn& turn, const Alert& alert) {
  if (!fires_with_action(alert) || alert.node != turn.node.id) return false;
  SICKBAY_EXPECT(turn.repair && turn.repair->acted_at);
  const Time acted = *turn.repair->acted_at;
  switch (alert.clears) {
    case ClearsOn::reboot:
      return true;  // of this boot: the ones before are over by now
    case ClearsOn::condition:
      return !alert.good_since;
    case ClearsOn::check:
      return true;
    case ClearsOn::quiet:
    case ClearsOn::load:
      return alert.last.at >= acted;  // a node out of service cannot prove more by itself
  }
  return true;
}

void prove_boot(const Turn& turn, std::vector<std::string>& missing) {
  const Repair& repair = *turn.repair;
  const auto& session = turn.facts.session;
  if (!session || session->epoch <= repair.epoch_before) {
    missing.push_back("the agent to say hello after the action");
    return;
  }
  if (session->boot_id == repair.boot_before) {
    missing.push_back("a new boot");
  } else if (session->boot_started_at <= *repair.acted_at) {
    missing.push_back("a boot that began after the action was sent");
  }
  if (repair.action == Action::reprovision && session->machine_id == repair.machine_before) {
    missing.push_back("a new installation (the machine id is still the one before)");
  }
  const Time heard = std::max(session->hello_at, turn.facts.last_heartbeat.value_or(session->hello_at));
  if (turn.now > heard + kSilentIntervals * turn.facts.heartbeat_interval) {
    missing.push_back("a heartbeat of the agent");
  }
  if (session->shape.gpus < turn.node.shape.gpus) {
    missing.push_back(fmt::format("{} GPUs, of which the agent sees {}", turn.node.shape.gpus, session->shape.gpus));
  }
}

// After a migrate: on another host; where nobody knows hosts (a cloud), in another installation.
bool is_elsewhere(const Turn& turn) {
  const Repair& repair = *turn.repair;
  if (!turn.node.host.empty() || !repair.host_before.empty()) return turn.node.host != repair.host_before;
  return turn.facts.session && turn.facts.session->machine_id != repair.machine_before;
}

std::vector<std::string> unproven(const Turn& turn) {
  SICKBAY_EXPECT(turn.repair && turn.repair->acted_at);
  std::vector<std::string> missing;
  prove_boot(turn, missing);
  if (turn.repair->action == Action::migrate && !is_elsewhere(turn)) missing.push_back("another host");
  for (const std::string& scheduler : turn.node.schedulers) {
    const Observation* look = turn.observed(scheduler);
    const bool fresh = look && is_fresh(*look, turn.now) && look->seen_at > *turn.repair->acted_at;
    const bool there = fresh && look->exists && (look->ready || look->registered);
    if (!there) missing.push_back(fmt::format("{} to have it ready", scheduler));
  }
  for (const Alert& alert : turn.alerts) {
    if (contradicts(turn, alert)) missing.push_back(fmt::format("{} to be over", alert.fault.text()));
  }
  return missing;
}

// What a migrate left behind, once the node is seen on another host.
void settle_hosts(Turn& turn) {
  const Repair& repair = *turn.repair;
  if (repair.action != Action::migrate || turn.node.host == repair.host_before) return;
  if (turn.host_before && turn.host_before->id == repair.host_before && turn.host_before->state == HostState::in_use) {
    vacate(turn, *turn.host_before, repair.reason, turn.facts.host_before_shared_with);
  }
  if (turn.host.id == turn.node.host && turn.host.state == HostState::spare) {
    turn.host.state = HostState::in_use;
    turn.host.node = turn.node.id;
  }
}

}  // namespace

void vacate(Turn& turn, Host& left, std::string why, const std::vector<std::string>& others) {
  if (!others.empty()) {
    if (left.node != turn.node.id) return;  // said already
    left.node.clear();
    turn.say(EventKind::host_left,
             fmt::format("{} left host {}, which still carries {}: it is not inspected before they leave",
                         turn.node.name, left.id, fmt::join(others, ", ")))
        .data["host"] = left.id;
    return;
  }
  left.state = HostState::vacated;
  left.node.clear();
  left.vacated_at = turn.now;
  left.vacated_because = std::move(why);
  turn.say(EventKind::host_vacated, fmt::format("host {} left {} and waits for inspection", left.id, turn.node.name))
      .data["host"] = left.id;
}

void step_verify(Turn& turn) {
  Repair& repair = *turn.repair;
  if (!repair.acted_at) repair.acted_at = turn.now;  // a provider that did not say when
  if (!repair.step_deadline) repair.step_deadline = turn.now + turn.policy.deadlines.verify;
  settle_hosts(turn);
  if (repair.cancel_requested_by) {
    turn.say(EventKind::repair_cancel_late,
             fmt::format("{}: the cancellation by {} came after the action; it is verified first", sentence(repair),
                         *repair.cancel_requested_by));
    repair.cancel_requested_by.reset();
    repair.updated_at = turn.now;
  }
  std::vector<std::string> missing = unproven(turn);
  const bool overdue = turn.now >= *repair.step_deadline && !turn.facts.caution.deadlines_frozen;
  if (overdue && !missing.empty() && !turn.open_operation()) {
    std::string list;
    for (const std::string& one : missing) list += (list.empty() ? "" : "; ") + one;
    return turn.finish(RepairState::FAILED, "not proved healthy in time; missing: " + list);
  }
  if (turn.now < *repair.step_deadline) turn.look_again(*repair.step_deadline);
  if (!hold_everywhere(turn)) missing.push_back("our mark to be placed again");
  if (!missing.empty()) {
    repair.verify_good_since.reset();
    return turn.wait_for(std::move(missing));
  }
  if (!repair.verify_good_since) repair.verify_good_since = turn.now;
  const Time good = *repair.verify_good_since + turn.policy.deadlines.verify_quiet;
  if (turn.now < good) {
    turn.look_again(good);
    return turn.wait_for({"the node to stay healthy until " + format_time(good)});
  }
  if (!turn.open_operation()) turn.move(RepairState::RUNNING, RepairStep::give_back, "proved healthy");
}

void step_return(Turn& turn) {
  Repair& repair = *turn.repair;
  settle_hosts(turn);
  if (!release_everywhere(turn, repair.id)) {
    std::vector<std::string> waits;
    for (const Hold& hold : turn.holds) {
      if (hold.repair != repair.id || hold.released_at) continue;
      const Operation* last = turn.last(OperationKind::uncordon, hold.scheduler, repair.id);
      const bool failed = last && last->outcome && *last->outcome != Outcome::succeeded;
      waits.push_back(
          fmt::format("{} to remove our cordon{}", hold.scheduler, failed ? ", which failed: " + last->detail : ""));
    }
    return turn.wait_for(std::move(waits));
  }
  if (turn.open_operation()) return;
  if (repair.step == RepairStep::give_back) {
    turn.finish(RepairState::SUCCEEDED, "the node is back in service");
  } else if (repair.cancel_requested_by) {
    turn.finish(RepairState::CANCELLED, "cancelled by " + *repair.cancel_requested_by);
  } else {
    turn.finish(RepairState::AUTO_RESOLVED, "every linked alert was over; the node is back in service");
  }
}

}  // namespace sickbay::decide
