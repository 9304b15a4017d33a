// Steps drain and act. Drained means that a look after the drain found the node idle, never that a drain call returned;
// the act is planned once, with the evidence before it, and only on a node that is idle now or that somebody said, on
// record, to drain by force.
#include <algorithm>
#include <ranges>

#include "decide/advance.hpp"
#include "decide/alerts.hpp"
#include "decide/holds.hpp"

namespace sickbay::decide {

namespace {

constexpr Duration kDrainCall = minutes{2};

// A forced drain went out long enough ago that what is left will not leave by itself (a dead kubelet, a stuck pod).
bool forced_and_settled(Turn& turn, std::string_view scheduler) {
  if (!turn.repair->force_drain) return false;
  std::optional<Time> first;
  for (const Operation& operation : turn.operations) {
    if (operation.kind == OperationKind::drain && operation.adapter == scheduler && operation.force &&
        operation.repair == turn.repair->id && operation.outcome == Outcome::succeeded) {  // a refused one is none
      const Time sent = operation.dispatched_at.value_or(operation.planned_at);
      first = first ? std::min(*first, sent) : sent;
    }
  }
  if (!first) return false;
  if (turn.now < *first + kForcedDrainSettles) turn.look_again(*first + kForcedDrainSettles);
  return turn.now >= *first + kForcedDrainSettles;
}

bool is_drained(Turn& turn, const std::string& scheduler) {
  const Operation* drain = turn.last(OperationKind::drain, scheduler, turn.repair->id);
  if (!drain || drain->state != OperationState::concluded) return false;
  if (drain->outcome == Outcome::succeeded && is_emptied(turn, scheduler, drain->concluded_at)) return true;
  return forced_and_settled(turn, scheduler);
}

// Asks the scheduler to let the node's work go, again and again while work remains.
void ask_to_drain(Turn& turn, const std::string& scheduler) {
  const Repair& repair = *turn.repair;
  const bool force = repair.force_drain.has_value();
  const Operation* last = turn.last(OperationKind::drain, scheduler, repair.id);
  if (turn.policy.wait.never_interrupt_jobs && !force && !is_idle(turn, scheduler, {})) return;
  if (last && last->concluded_at && !(force && !last->force)) {
    const bool ok = last->outcome == Outcome::succeeded;
    const Time again = *last->concluded_at + (ok ? kDrainAgain : kRetryAfter);
    if (turn.now < again) return turn.look_again(again);
    const Observation* look = turn.observed(scheduler);
    const bool seen = look && look->error.empty() && look->seen_at > *last->concluded_at;
    const bool remains = seen && (look->idleness == Idleness::busy || look->drained == false);
    if (ok && !force && !remains) return;  // nothing is known to remain
  }
  turn.plan(OperationKind::drain, scheduler, repair.id, kDrainCall);
}

std::vector<std::string> drain_waits(Turn& turn) {
  std::vector<std::string> waits;
  for (const std::string& scheduler : turn.node.schedulers) {
    if (is_drained(turn, scheduler)) continue;
    const Observation* look = turn.observed(scheduler);
    const Operation* drain = turn.last(OperationKind::drain, scheduler, turn.repair->id);
    // What blocks, as the newer of the last look and the drain's own answer says.
    const bool looked = look && look->error.empty();
    const bool answered = drain && drain->concluded_at && (!looked || *drain->concluded_at >= look->seen_at);
    const auto& blockers = answered && !drain->blockers.empty() ? drain->blockers
                           : looked                             ? look->blockers
                                                                : std::vector<std::string>{};
    if (!blockers.empty()) {
      for (const std::string& blocker : blockers | std::views::take(5)) waits.push_back(blocker);
    } else {
      waits.push_back(fmt::format("{} to be drained", reach_of(turn, scheduler)));
    }
  }
  return waits;
}

void drain_overdue(Turn& turn) {
  Repair& repair = *turn.repair;
  if (repair.force_drain || turn.facts.caution.deadlines_frozen) return;
  if (turn.now < *repair.step_deadline) return turn.look_again(*repair.step_deadline);
  if (turn.policy.wait.force_drain_after_deadline && !turn.policy.wait.never_interrupt_jobs) {
    repair.force_drain = fmt::format("policy version {}", turn.facts.policy.version);
    repair.updated_at = turn.now;
    turn.say(EventKind::drain_forced,
             fmt::format("{}: the drain deadline passed, and policy says to go on by force", sentence(repair)));
    return;
  }
  turn.ask_person(fmt::format("the drain did not end by {}: force the drain, cancel the repair, or wait",
                              format_time(*repair.step_deadline)));
}

}  // namespace

void step_drain(Turn& turn) {
  Repair& repair = *turn.repair;
  if (!repair.step_deadline) repair.step_deadline = turn.now + turn.policy.wait.drain_deadline;
  if (is_held_back(turn)) return;
  if (!hold_everywhere(turn)) return turn.wait_for({"our mark to be placed again"});
  drain_overdue(turn);
  bool all = true;
  for (const std::string& scheduler : turn.node.schedulers) {
    if (is_drained(turn, scheduler)) continue;
    all = false;
    if (!turn.open_operation()) ask_to_drain(turn, scheduler);
  }
  if (all && !turn.open_operation()) {
    turn.move(RepairState::RUNNING, RepairStep::act, "drained");
  } else {
    turn.wait_for(drain_waits(turn));
  }
}

namespace {

bool may_act_by_idleness(Turn& turn) {
  return std::ranges::all_of(turn.node.schedulers, [&](const std::string& scheduler) {
    return is_emptied(turn, scheduler, {}) || forced_and_settled(turn, scheduler);
  });
}

// The newest act of this repair; null before the first.
Operation* act_of(Turn& turn) {
  Operation* newest = nullptr;
  for (Operation& operation : turn.operations) {
    if (operation.kind != OperationKind::act || operation.repair != turn.repair->id) continue;
    if (!newest || operation.attempt > newest->attempt) newest = &operation;
  }
  return newest;
}

bool was_taken_back(const Operation& act) {
  return act.outcome == Outcome::undone && act.owner.empty() && !act.dispatched_at;
}

// Waits for the provider; false if the act was taken back, since nobody had taken it on and it must not go out now.
bool watch_act(Turn& turn, Operation& act) {
  const auto barred = act.state == OperationState::planned ? barred_by(turn) : std::vector<std::string>{};
  // Nor after a cancel: what was never sent was withdrawn by it already, what was sent is not sent again.
  const bool cancelled = turn.repair->cancel_requested_by.has_value();
  const bool must_not =
      act.state == OperationState::planned && (cancelled || !barred.empty() || !may_act_by_idleness(turn));
  if (never_sent(act) && act.adapter != turn.node.provider) {
    turn.withdraw(act, fmt::format("the node's provider is '{}' now", turn.node.provider));
    return false;
  }
  if (must_not && never_sent(act)) {
    turn.withdraw(act, barred.empty() ? "the node is not known to be idle any more" : "it waits for " + barred[0]);
    return false;
  }
  if (must_not) {
    // It was sent once and would be sent again: as sent by nobody it is only looked for, until it may go out again.
    act.state = OperationState::dispatching;
    act.owner.clear();
    ++act.version;
  }
  // A cancel that came too late to withdraw: where the provider can still recall what has not begun, it is asked to.
  const std::optional<std::string>& cancel = turn.repair->cancel_requested_by;
  if (cancel && !act.recall && turn.facts.provider && turn.facts.provider->can_cancel(act.action)) {
    act.recall = *cancel;
    ++act.version;
  }
  const std::string provider = reach_of(turn, turn.node.provider);
  turn.wait_for({act.recall ? fmt::format("{} to recall the {}, or to do it", provider, name_of(act.action))
                            : fmt::format("{} to {} the node", provider, name_of(act.action))});
  return true;
}

// A look that says the node works again, or does not take part at all.
bool work_came_back(const Turn& turn) {
  return std::ranges::any_of(turn.node.schedulers, [&](const std::string& scheduler) {
    const Observation* look = turn.observed(scheduler);
    return look && is_fresh(*look, turn.now) && (look->idleness == Idleness::busy || look->drained == false);
  });
}

void remove_node(Turn& turn) {
  turn.node.removed_at = turn.now;
  if (!turn.host.id.empty()) vacate(turn, turn.host, turn.repair->reason, turn.facts.host_shared_with);
  drop_holds(turn);
  settle_boots(turn);  // what was known against the node is over with it
  turn.finish(RepairState::SUCCEEDED, "the node is taken out for good; its host goes to inspection");
}

void plan_act(Turn& turn) {
  Repair& repair = *turn.repair;
  const bool quick = repair.action == Action::reboot;
  const auto within = quick ? turn.policy.deadlines.reboot : turn.policy.deadlines.other_actions;
  if (!turn.plan(OperationKind::act, turn.node.provider, repair.id, within)) return;
  Operation& act = turn.operations.back();
  const auto& session = turn.facts.session;
  repair.attempt = act.attempt = repair.attempt + 1;
  repair.epoch_before = act.epoch_before = std::max(turn.node.epoch, session ? session->epoch : 0);
  repair.boot_before = act.boot_before = session ? session->boot_id : turn.node.boot_id;
  repair.machine_before = act.machine_before = session ? session->machine_id : turn.node.machine_id;
  repair.host_before = act.host_before = turn.node.host;
  act.target_host = repair.target_host;
  repair.acted_at.reset();  // this attempt has not left yet
  repair.updated_at = turn.now;
  turn.wait_for({fmt::format("{} to {} the node", reach_of(turn, turn.node.provider), name_of(act.action))});
}

}  // namespace

void step_act(Turn& turn) {
  Repair& repair = *turn.repair;
  Operation* act = act_of(turn);
  if (act && act->state != OperationState::concluded && watch_act(turn, *act)) return;
  if (act && !was_taken_back(*act) && turn.open_operation()) return turn.wait_for({"the scheduler to answer"});
  if (act && act->outcome == Outcome::succeeded) {
    if (repair.action == Action::remove) return remove_node(turn);
    return turn.move(RepairState::RUNNING, RepairStep::verify, fmt::format("{} done", name_of(repair.action)));
  }
  if (act && !was_taken_back(*act)) {
    return turn.finish(RepairState::FAILED,
                       fmt::format("{} by {} {}: {}", name_of(repair.action), act->adapter,
                                   act->outcome == Outcome::undone ? "did not happen" : "failed", act->detail));
  }
  if (!hold_everywhere(turn)) return turn.wait_for({"our mark to be placed again"});
  if (!may_act_by_idleness(turn)) {
    if (work_came_back(turn)) return turn.move(RepairState::RUNNING, RepairStep::drain, "work came back to the node");
    return turn.wait_for(not_idle_because(turn));
  }
  if (auto barred = barred_by(turn); !barred.empty()) return turn.wait_for(std::move(barred));
  if (evidence_gone_since(turn)) {
    return turn.wait_for({"the linked alerts, which cleared, to stay clear; then the repair is rolled back"});
  }
  if (!turn.facts.provider) {
    return turn.wait_for({reach_of(turn, turn.node.provider) + " to say what it can do"});
  }
  if (!turn.facts.host_busy_with.empty()) {
    return turn.wait_for(
        {fmt::format("the action on {}, which is on the same host {}", turn.facts.host_busy_with, turn.node.host)});
  }
  if (!turn.facts.provider->can(repair.action)) {
    return turn.finish(RepairState::FAILED,
                       fmt::format("provider '{}' cannot {}", turn.node.provider, name_of(repair.action)));
  }
  plan_act(turn);
}

}  // namespace sickbay::decide
