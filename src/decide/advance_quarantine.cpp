// Steps cordon and wait: the node takes no new work, and its jobs are waited for as policy says (product.md 4.1
// "wait"). Nothing here interrupts anybody; a person can still end it by an uncordon.
#include "decide/advance.hpp"
#include "decide/holds.hpp"

namespace sickbay::decide {

namespace {

void begin_wait(Turn& turn) {
  const WaitPolicy& wait = turn.policy.wait;
  Repair& repair = *turn.repair;
  std::string how;
  if (!wait.for_idle) {
    repair.wait_until = turn.now + wait.grace_period;
    how = "grace period of " + format_duration(wait.grace_period);
  } else if (wait.never_interrupt_jobs) {
    repair.wait_until.reset();
    how = "waiting for idle without limit: jobs are never interrupted here";
  } else {
    repair.wait_until = turn.now + wait.at_most;
    how = "waiting for idle, at most " + format_duration(wait.at_most);
  }
  turn.move(RepairState::QUARANTINED, RepairStep::wait, std::move(how));
}

std::string cordon_wait(Turn& turn) {
  for (const std::string& scheduler : turn.node.schedulers) {
    const Hold* hold = turn.hold(scheduler);
    if (hold && hold->repair == turn.repair->id && hold->placed_at) continue;
    const Operation* last = turn.last(OperationKind::cordon, scheduler, turn.repair->id);
    const bool failed = last && last->outcome && *last->outcome != Outcome::succeeded;
    return fmt::format("{} to take the cordon{}", reach_of(turn, scheduler),
                       failed ? ", which failed: " + last->detail : "");
  }
  return "the cordon";
}

}  // namespace

void step_cordon(Turn& turn) {
  Repair& repair = *turn.repair;
  if (!turn.node.quarantine || turn.node.quarantine->repair != repair.id) {
    const Time since = turn.node.quarantine ? turn.node.quarantine->since : turn.now;
    turn.node.quarantine = Quarantine{repair.id, repair.reason.empty() ? sentence(repair) : repair.reason, since};
  }
  // An automatic repair stops where it is while the breaker is open; the marks it has placed stay.
  if (is_automatic(repair) && is_held_back(turn)) return;
  if (hold_everywhere(turn)) {
    begin_wait(turn);
  } else {
    turn.wait_for({cordon_wait(turn)});
  }
}

void step_wait(Turn& turn) {
  Repair& repair = *turn.repair;
  if (!hold_everywhere(turn)) return turn.wait_for({cordon_wait(turn)});
  const bool expired = repair.wait_until && turn.now >= *repair.wait_until && !turn.facts.caution.deadlines_frozen;
  const bool idle = all_idle(turn);
  if (repair.wait_until && turn.now < *repair.wait_until) turn.look_again(*repair.wait_until);
  if (!idle && !expired && !repair.force_drain) return turn.wait_for(not_idle_because(turn));
  if (evidence_gone_since(turn)) {
    return turn.wait_for({"the linked alerts, which cleared, to stay clear; then the repair ends as AUTO_RESOLVED"});
  }
  if (is_held_back(turn)) return;
  const std::string why = idle ? (turn.node.schedulers.empty() ? "no scheduler knows this node" : "idle")
                          : repair.force_drain ? *repair.force_drain + " said to drain by force"
                                               : "the wait is over";
  turn.move(RepairState::RUNNING, RepairStep::drain, why);
}

}  // namespace sickbay::decide
