// The verbs of a turn: saying events, moving the repair, planning operations. See turn.hpp.
#include "decide/turn.hpp"

#include <algorithm>

namespace sickbay::decide {

namespace {
constexpr std::size_t kMostSteps = 256;  // a repair that swings for days must not grow without bound
}

Turn::Turn(const NodeFacts& f, Time at, Ids& id_source)
    : facts(f),
      policy(f.policy.policy),
      now(at),
      ids(id_source),
      node(f.node),
      host(f.host),
      host_before(f.host_before),
      alerts(f.alerts),
      repair(f.repair),
      operations(f.operations),
      holds(f.holds) {}

Event& Turn::say(EventKind kind, std::string message) {
  Event& event = events.emplace_back(event_of(node, kind, ids.next("ev"), now, std::move(message)));
  if (repair) event.repair = repair->id;
  return event;
}

Event& Turn::say(const Alert& alert, EventKind kind, std::string message) {
  Event& event = say(kind, std::move(message));
  event.alert = alert.id;
  event.data["fault"] = alert.fault.text();
  event.data["severity"] = name_of(alert.severity);
  event.data["device"] = alert.device;
  return event;
}

void set_step(Repair& repair, RepairState state, RepairStep step, Time now, std::string why) {
  repair.state = state;
  repair.step = step;
  repair.updated_at = now;
  repair.step_deadline.reset();
  repair.verify_good_since.reset();
  repair.waits_for.clear();
  repair.person.reset();
  if (repair.steps.size() >= kMostSteps) repair.steps.pop_back();
  repair.steps.push_back({state, step, now, std::move(why)});
}

void Turn::move(RepairState state, RepairStep step, std::string why) {
  SICKBAY_EXPECT(repair);
  const bool other_state = state != repair->state;
  set_step(*repair, state, step, now, why);
  Event& event = say(other_state ? EventKind::repair_state : EventKind::repair_step,
                     fmt::format("{}: {} ({}): {}", sentence(*repair), name_of(state), name_of(step), why));
  event.data["state"] = name_of(state);
  event.data["step"] = name_of(step);
}

void Turn::finish(RepairState state, std::string why) {
  SICKBAY_EXPECT(repair && is_final(state));
  if (const Operation* open = open_operation()) {  // no repair ends while something of it is under way (engine.md 3)
    wait_for({fmt::format("the {} that is under way to end; then: {}", name_of(open->kind), why)});
    return;
  }
  if (state == RepairState::FAILED) repair->error = why;
  repair->ended_at = now;
  release_slots = true;
  move(state, RepairStep::done, std::move(why));
  if (state != RepairState::AUTO_RESOLVED && !was_rejected(*repair)) {
    node.cooldown_until = now + policy.limits.cooldown;  // product.md 4, rule 6
  }
}

void Turn::wait_for(std::vector<std::string> whom) {
  if (repair->waits_for == whom) return;
  repair->waits_for = std::move(whom);
  repair->updated_at = now;
}

void Turn::ask_person(std::string question) {
  asked = true;
  if (repair->person == question) return;
  repair->person = question;
  repair->updated_at = now;
  say(EventKind::repair_person, fmt::format("{} needs a person: {}", sentence(*repair), question)).data["route"] =
      "operators";
}

void Turn::no_question() {
  if (!repair->person) return;
  repair->person.reset();
  repair->updated_at = now;
}

Operation* Turn::open_operation() {
  for (Operation& operation : operations) {
    if (operation.state != OperationState::concluded) return &operation;
  }
  return nullptr;
}

const Operation* Turn::last(OperationKind kind, std::string_view adapter, std::string_view repair_id) const {
  const Operation* newest = nullptr;
  for (const Operation& operation : operations) {
    if (operation.kind != kind || operation.repair != repair_id || operation.adapter != adapter) continue;
    if (!newest || operation.attempt > newest->attempt) newest = &operation;
  }
  return newest;
}

bool Turn::plan(OperationKind kind, std::string_view adapter, std::string_view repair_id, Duration within) {
  if (facts.caution.observe_only || open_operation()) return false;
  const Operation* before = last(kind, adapter, repair_id);
  Operation operation;
  operation.id = ids.next("op");
  operation.repair = repair_id;
  operation.cluster = node.cluster;
  operation.node = node.id;
  operation.node_name = node.name;
  operation.host = node.host;
  operation.kind = kind;
  operation.adapter = adapter;
  operation.attempt = before ? before->attempt + 1 : 1;
  operation.planned_at = now;
  operation.deadline = now + within;
  const bool ours = repair && repair->id == repair_id;
  if (kind == OperationKind::drain && ours) operation.force = repair->force_drain.has_value();
  if (kind == OperationKind::drain) operation.drain = policy.wait.drain;
  if (kind != OperationKind::act) {
    // Meant for the object that was last seen; and for its marks as seen, unless a call of ours changed them since.
    const Observation* look = observed(adapter);
    if (look && look->exists) operation.uid = look->uid;
    const bool ours_since = std::ranges::any_of(operations, [&](const Operation& done) {
      return done.adapter == adapter && done.kind != OperationKind::drain &&
             (!done.concluded_at || !look || *done.concluded_at >= look->seen_at);
    });
    if (look && kind != OperationKind::drain && !ours_since) operation.object_version = look->version;
  }
  if (kind == OperationKind::act && ours) operation.action = repair->action;
  Event& event = say(EventKind::operation_planned,
                     fmt::format("{} of {} through {}, attempt {}{}",
                                 kind == OperationKind::act ? name_of(operation.action) : name_of(kind), node.name,
                                 adapter, operation.attempt, operation.force ? ", by force" : ""));
  event.repair = repair_id;
  event.data["operation"] = operation.id;
  operations.push_back(std::move(operation));
  return true;
}

void Turn::withdraw(Operation& operation, std::string why) {
  operation.state = OperationState::concluded;
  operation.outcome = Outcome::undone;
  operation.concluded_at = now;
  operation.detail = "taken back before it was sent: " + why;
  ++operation.version;
  say(EventKind::operation_withdrawn,
      fmt::format("{} of {} was taken back before it was sent: {}", name_of(operation.kind), node.name, why))
      .data["operation"] = operation.id;
}

const Observation* Turn::observed(std::string_view scheduler) const {
  for (const Observation& observation : facts.observed) {
    if (observation.scheduler == scheduler) return &observation;
  }
  return nullptr;
}

Hold* Turn::hold(std::string_view scheduler) {
  for (Hold& hold : holds) {
    if (hold.scheduler == scheduler && !hold.released_at) return &hold;
  }
  return nullptr;
}

std::vector<Alert*> Turn::linked() {
  std::vector<Alert*> found;
  if (!repair) return found;
  for (Alert& alert : alerts) {
    if (std::ranges::find(repair->alerts, alert.id) != repair->alerts.end()) found.push_back(&alert);
  }
  return found;
}

std::string reach_of(const Turn& turn, std::string_view adapter) {
  const auto found = turn.facts.unreachable.find(std::string(adapter));
  if (found == turn.facts.unreachable.end()) return std::string(adapter);
  return fmt::format("{}, which cannot be reached since {} ({}),", adapter, format_time(found->second.since),
                     found->second.error);
}

std::string sentence(const Repair& repair) {
  const std::string action = name_of(repair.action);
  if (repair.fault.name.empty()) return fmt::format("{} of {}", action, repair.node_name);
  return fmt::format("{} of {} for {}", action, repair.node_name, repair.fault.text());
}

bool is_automatic(const Repair& repair) {
  return repair.review && repair.review->how == ReviewHow::automatically;
}

bool was_rejected(const Repair& repair) {
  return repair.state == RepairState::CANCELLED && repair.trigger == Trigger::automated && repair.review &&
         !repair.admitted_at && !repair.cancel_requested_by && !is_automatic(repair) &&
         repair.review->at == repair.ended_at;
}

bool has_acted(const Repair& repair) {
  return repair.acted_at.has_value();
}

bool never_sent(const Operation& operation) {
  return operation.state == OperationState::planned && operation.owner.empty() && !operation.dispatched_at;
}

}  // namespace sickbay::decide
