// The lifecycle of product.md 4.2, one step at a time. This file has what may end a repair in any step before it acted
// (cancel, evidence gone, node gone) and the two steps that wait for approval and admission; the steps that touch the
// world are in advance_quarantine.cpp, advance_run.cpp and advance_verify.cpp.
#include "decide/advance.hpp"

#include <algorithm>

namespace sickbay::decide {

namespace {

// Deleted externally: every scheduler says so, twice, in looks that succeeded.
bool is_gone(const Turn& turn) {
  if (turn.node.removed_at) return true;
  if (turn.node.schedulers.empty()) return false;
  return std::ranges::all_of(turn.node.schedulers, [&](const std::string& scheduler) {
    const Observation* look = turn.observed(scheduler);
    return look && is_fresh(*look, turn.now) && !look->exists && look->gone_looks >= 2;
  });
}

// Withdraws the open operation if unclaimed. True if none is open afterwards.
bool withdraw_unclaimed(Turn& turn, const std::string& why) {
  Operation* open = turn.open_operation();
  if (!open || !never_sent(*open)) return !open;
  turn.withdraw(*open, why);
  return true;
}

// Ends a repair that holds nothing, or begins to take back what it holds.
void leave(Turn& turn, RepairState final_state, std::string why) {
  const RepairStep step = turn.repair->step;
  if (step == RepairStep::ask || step == RepairStep::queued) {
    turn.finish(final_state, std::move(why));
    return;
  }
  if (!withdraw_unclaimed(turn, why)) {
    const Operation* open = turn.open_operation();
    SICKBAY_EXPECT(open);
    turn.wait_for({fmt::format("the {} that is under way, before it is undone: {}", name_of(open->kind), why)});
    turn.look_in(kPoll);
    return;
  }
  turn.move(turn.repair->state, RepairStep::undo, std::move(why));
}

// What policy approved it stops approving (product.md 4.2): of the alerts that it was approved for, since what joined
// later was never asked about. Says which rule; empty: it still does, or not all of them are known.
std::string consent_withdrawn(Turn& turn) {
  const Repair& repair = *turn.repair;
  if (!is_automatic(repair)) return {};
  std::vector<Alert> approved;
  for (const Alert* alert : turn.linked()) {
    if (alert->started_at <= repair.review->at) approved.push_back(*alert);
  }
  if (approved.empty() && turn.node.auto_repair) return {};
  const ConsentDecision now = consent(turn.policy, approved, repair.action, turn.node);
  return now.answer == ConsentAnswer::auto_ ? "" : now.rule;
}

// What ends a repair that has not acted. True if it did, or waits to.
bool exits(Turn& turn) {
  Repair& repair = *turn.repair;
  if (repair.step == RepairStep::undo || repair.step == RepairStep::give_back || has_acted(repair)) return false;
  if (const std::string rule = consent_withdrawn(turn); !rule.empty() && !repair.cancel_requested_by) {
    repair.cancel_requested_by = fmt::format("policy, which does not consent any more ({})", rule);
    repair.updated_at = turn.now;
    turn.say(EventKind::repair_cancel_wish,
             fmt::format("{} is cancelled by {}", sentence(repair), *repair.cancel_requested_by));
  }
  if (is_gone(turn) && withdraw_unclaimed(turn, "the node is gone")) {
    drop_holds(turn);
    turn.finish(RepairState::CANCELLED, "the node was deleted externally");
    return true;
  }
  if (repair.cancel_requested_by) {
    leave(turn, RepairState::CANCELLED, "cancelled by " + *repair.cancel_requested_by);
    return true;
  }
  if (const auto gone = evidence_gone_since(turn)) {
    const Time until = *gone + turn.policy.deadlines.auto_resolve;
    if (turn.now >= until) {
      leave(turn, RepairState::AUTO_RESOLVED, "every linked alert is over since " + format_time(*gone));
      return true;
    }
    turn.look_again(until);
  }
  return false;
}

void step_ask(Turn& turn) {
  Repair& repair = *turn.repair;
  std::vector<Alert> linked;
  Time first = repair.created_at;
  for (const Alert* alert : turn.linked()) {
    linked.push_back(*alert);
    first = std::min(first, alert->started_at);
  }
  const ConsentDecision decision = consent(turn.policy, linked, repair.action, turn.node);
  const bool automatic = decision.answer == ConsentAnswer::auto_ && repair.trigger == Trigger::automated;
  if (!automatic) {
    turn.wait_for({fmt::format("an operator's approval ({})", decision.rule)});
  } else if (turn.facts.cluster.breaker.open) {
    turn.wait_for({"an operator's approval, or the reset of the circuit breaker: " + turn.facts.cluster.breaker.why});
  } else if (turn.now < first + kApprovalDelay) {
    turn.wait_for({"automatic approval, 60 s after the first alert, or an operator's"});
    turn.look_again(first + kApprovalDelay);
  } else {
    turn.wait_for({"automatic approval, or an operator's"});
    turn.wants_admission = !turn.facts.caution.ingest_lagging && !turn.facts.caution.observe_only;
    turn.look_in(kPoll);
  }
}

void ask_about(Turn& turn, const Operation& operation) {
  const std::string what = operation.kind == OperationKind::act ? name_of(operation.action) : name_of(operation.kind);
  turn.ask_person(fmt::format(
      "outcome of {} via {} is unknown ({}). Check the node and server {}. Once you are sure operation {} can "
      "no longer run, retry the repair or release the node",
      what, operation.adapter, operation.detail.empty() ? "nothing was seen of it" : operation.detail,
      operation.owner.empty() ? "(none took it)" : operation.owner, operation.id));
  turn.wait_for({"a person, who must say what became of the " + what});
}

// An act that was sent did not come to an end in time, or nobody could look: nobody knows, so a person must look
// (engine.md 3). True if one expired now.
bool expire_act(Turn& turn) {
  bool expired = false;
  for (Operation& operation : turn.operations) {
    const bool sent = operation.state == OperationState::dispatching || operation.state == OperationState::acknowledged;
    if (operation.kind != OperationKind::act || !sent || turn.facts.caution.deadlines_frozen) continue;
    if (turn.now < operation.deadline) {
      turn.look_again(operation.deadline);
      continue;
    }
    operation.state = OperationState::ambiguous;
    operation.detail = fmt::format("sent, but no outcome by {}{}{}", format_time(operation.deadline),
                                   operation.detail.empty() ? "" : ": ", operation.detail);
    ++operation.version;
    expired = true;
  }
  return expired;
}

// Why nothing of the repair that touches jobs or the machine may leave now.
std::vector<std::string> bars(const Repair& repair, const Node& node, const NodeFacts& facts) {
  std::vector<std::string> found;
  const bool automatic = is_automatic(repair);
  if (facts.caution.observe_only) found.push_back("a person, who must confirm the state after a restore");
  if (automatic && facts.caution.ingest_lagging) found.push_back("finding ingest, which lags more than 30 s");
  if (automatic && facts.cluster.breaker.open) {
    found.push_back("the reset of the circuit breaker: " + facts.cluster.breaker.why);
  }
  if (node.identity_conflict) found.push_back("the end of the identity conflict: " + *node.identity_conflict);
  return found;
}

void run_step(Turn& turn) {
  SICKBAY_EXPECT(turn.repair);
  switch (turn.repair->step) {
    case RepairStep::ask:
      return step_ask(turn);
    case RepairStep::queued:  // admission says what it waits for
      turn.wants_admission = true;
      return turn.look_in(kPoll);
    case RepairStep::cordon:
      return step_cordon(turn);
    case RepairStep::wait:
      return step_wait(turn);
    case RepairStep::drain:
      return step_drain(turn);
    case RepairStep::act:
      return step_act(turn);
    case RepairStep::verify:
      return step_verify(turn);
    case RepairStep::give_back:
    case RepairStep::undo:
      return step_return(turn);
    case RepairStep::done:
      return;
  }
}

}  // namespace

void drop_holds(Turn& turn) {
  SICKBAY_EXPECT(turn.repair);
  for (Hold& hold : turn.holds) {
    if (hold.repair != turn.repair->id || hold.released_at) continue;
    hold.wanted = false;
    hold.released_at = turn.now;
  }
  if (turn.node.quarantine && turn.node.quarantine->repair == turn.repair->id) turn.node.quarantine.reset();
}

// When the action left our hands, as its operation says it; taken back if it certainly never happened.
void note_act(Turn& turn) {
  if (!turn.repair || is_final(turn.repair->state)) return;
  Repair& repair = *turn.repair;
  std::optional<Time> at;
  bool known = repair.step < RepairStep::verify;  // before that there is no other proof
  for (const Operation& operation : turn.operations) {
    if (operation.repair != repair.id || operation.kind != OperationKind::act) continue;
    if (operation.attempt != repair.attempt) continue;
    const bool left = operation.state != OperationState::planned || operation.dispatched_at;
    known = true;
    if (left && operation.outcome != Outcome::undone) at = operation.dispatched_at.value_or(operation.planned_at);
  }
  if (!known || repair.acted_at == at) return;
  repair.acted_at = at;
  repair.updated_at = turn.now;
}

std::vector<std::string> barred_by(const Turn& turn) {
  return bars(*turn.repair, turn.node, turn.facts);
}

bool is_held_back(Turn& turn) {
  std::vector<std::string> barred = barred_by(turn);
  if (barred.empty()) return false;
  Operation* open = turn.open_operation();
  if (open && open->repair == turn.repair->id && never_sent(*open)) turn.withdraw(*open, "it waits for " + barred[0]);
  turn.wait_for(std::move(barred));
  return true;
}

bool must_not_leave(const NodeFacts& facts, const Operation& operation) {
  const std::optional<Repair>& repair = facts.repair;
  if (!repair || operation.repair != repair->id || operation.kind == OperationKind::uncordon) return false;
  if (repair->step == RepairStep::undo || repair->step == RepairStep::give_back || repair->cancel_requested_by)
    return false;
  // A mark hurts nobody, and a person who asked for it gets it.
  if (operation.kind == OperationKind::cordon && !is_automatic(*repair)) return false;
  return !bars(*repair, facts.node, facts).empty();
}

std::optional<Time> evidence_gone_since(Turn& turn) {
  if (!turn.repair->by_evidence || turn.repair->alerts.empty()) return {};
  const std::vector<Alert*> linked = turn.linked();
  if (linked.size() < turn.repair->alerts.size()) return {};  // not all known: unknown is not healthy
  Time since = turn.repair->created_at;
  for (const Alert* alert : linked) {
    if (!alert->resolved_at) return {};
    since = std::max(since, *alert->resolved_at);
  }
  return since;
}

bool advance(Turn& turn) {
  if (!turn.repair || is_final(turn.repair->state)) return false;
  Repair& repair = *turn.repair;
  const auto before = std::pair(repair.state, repair.step);
  turn.asked = false;
  expire_act(turn);
  const Operation* open = turn.open_operation();
  if (open && open->state == OperationState::ambiguous) {
    ask_about(turn, *open);
    return false;
  }
  // One that waits for a scheduler that cannot be reached is woken when it can, and need not ask often until then.
  const bool lost = std::ranges::any_of(turn.node.schedulers,
                                        [&](const std::string& name) { return turn.facts.unreachable.contains(name); });
  if (repair.state > RepairState::PENDING) turn.look_in(lost ? kPollLost : kPoll);
  if (!exits(turn)) run_step(turn);
  if (expire_act(turn)) return true;  // one that this step held back after its time: a person is asked in this turn
  if (!turn.asked) turn.no_question();
  return !is_final(repair.state) && before != std::pair(repair.state, repair.step);
}

}  // namespace sickbay::decide
