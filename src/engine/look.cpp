#include "engine/look.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "decide/decide.hpp"

namespace sickbay::engine {
namespace {

void conclude(Operation& operation, Outcome outcome, std::string detail, Time now) {
  operation.state = OperationState::concluded;
  operation.outcome = outcome;
  operation.concluded_at = now;
  if (!detail.empty()) operation.detail = std::move(detail);
}

bool is_open(const Operation& operation) {
  return operation.state == OperationState::dispatching || operation.state == OperationState::acknowledged ||
         operation.state == OperationState::ambiguous;
}

// The time from which a call that was taken but never seen is certainly not in flight from its owner any more.
Time unseen_until(const Operation& operation, const Options& options) {
  return operation.dispatch_by.value_or(operation.planned_at) + options.call_timeout + options.observe_grace;
}

void make_ambiguous(Operation& operation, std::string detail) {
  operation.state = OperationState::ambiguous;
  operation.detail = std::move(detail);
}

}  // namespace

bool wants_look(const decide::NodeFacts& facts) {
  const bool working = facts.repair && facts.repair->state != RepairState::PENDING_APPROVAL &&
                       facts.repair->state != RepairState::PENDING;
  const bool marked = std::ranges::any_of(facts.observed, [](const Observation& o) { return !o.hold_owner.empty(); });
  return working || marked || !facts.holds.empty() || std::ranges::any_of(facts.operations, is_open);
}

Operation seen(Operation operation, const OperationView& view, bool fenced, const decide::Caution& caution,
               const Options& options, Time now) {
  const bool overdue = now > operation.deadline && !caution.deadlines_frozen;
  switch (view.progress) {
    case Progress::succeeded:
      conclude(operation, Outcome::succeeded, view.detail, now);
      return operation;
    case Progress::failed:
      conclude(operation, Outcome::failed, view.detail, now);
      return operation;
    case Progress::running:
      if (!overdue) {
        operation.state = OperationState::acknowledged;
      } else if (operation.state != OperationState::ambiguous) {
        make_ambiguous(operation, "the provider still reports it running after its deadline");
      }
      return operation;
    case Progress::not_seen:
      if (operation.state == OperationState::dispatching && now > unseen_until(operation, options)) {
        // The provider refuses a second effect: ask again, until its time is over.
        if ((fenced && !overdue) || options.planted.double_action) {
          operation.state = OperationState::planned;
          operation.owner.clear();
          operation.dispatch_by.reset();
        } else {
          make_ambiguous(operation, "it was taken to be sent, and the provider knows nothing of it");
        }
      } else if (operation.state == OperationState::acknowledged && overdue) {
        make_ambiguous(operation, "the provider took it on and knows nothing of it any more");
      }
      return operation;
    case Progress::unreadable:
      if (operation.state != OperationState::ambiguous && overdue) {
        make_ambiguous(operation, fmt::format("its outcome could not be read until its deadline: {}", view.detail));
      }
      return operation;
  }
  return operation;
}

Operation seen(Operation operation, const Observation& observation, const Options& options, Time now) {
  const bool ours = observation.hold_owner == operation.repair;
  const bool happened =
      (operation.kind == OperationKind::cordon && ours) || (operation.kind == OperationKind::uncordon && !ours);
  if (!observation.error.empty()) return operation;
  if (now <= operation.dispatch_by.value_or(operation.planned_at) + options.call_timeout) return operation;
  if (happened) {
    conclude(operation, Outcome::succeeded, "seen at the scheduler", now);
  } else {
    conclude(operation, Outcome::undone, "not seen at the scheduler; it may be asked again", now);
  }
  return operation;
}

Event operation_event(const Operation& operation, Time now, Ids& ids) {
  Event event;
  event.id = ids.next("ev");
  event.at = now;
  event.cluster = operation.cluster;
  event.node = operation.node;
  event.node_name = operation.node_name;
  event.repair = operation.repair;
  event.kind = "operation";
  event.actor = "sickbay";
  const std::string what = operation.kind == OperationKind::act ? name_of(operation.action) : name_of(operation.kind);
  const std::string how = operation.state == OperationState::concluded
                              ? name_of(operation.outcome.value_or(Outcome::failed))
                              : name_of(operation.state);
  event.message = fmt::format("{} of {} (attempt {}): {}", what, operation.node_name, operation.attempt, how);
  if (!operation.detail.empty()) event.message += "; " + operation.detail;
  event.data["operation"] = operation.id;
  event.data["adapter"] = operation.adapter;
  event.data["state"] = name_of(operation.state);
  return event;
}

Looked look(decide::NodeFacts& facts, const World& world, const Options& options, Time now, Ids& ids) {
  Looked looked;
  for (const std::string& name : facts.node.schedulers) {
    Scheduler* scheduler = world.scheduler(name);
    if (!scheduler) continue;
    Observation next = scheduler->observe(facts.node.name, options.look_timeout);
    next.node = facts.node.id;
    next.scheduler = name;
    next.at = now;
    const auto known = std::ranges::find(facts.observed, name, &Observation::scheduler);
    const auto previous = known == facts.observed.end() ? std::nullopt : std::optional(*known);
    next = decide::looked(previous, std::move(next), now);
    looked.observed.push_back(next);
    if (known == facts.observed.end()) {
      facts.observed.push_back(std::move(next));
    } else {
      *known = std::move(next);
    }
  }
  for (Operation& operation : facts.operations) {
    if (!is_open(operation)) continue;
    const OperationState before = operation.state;
    if (operation.kind == OperationKind::act) {
      Provider* provider = world.provider(operation.adapter);
      if (!provider) continue;
      const OperationView view = provider->observe(operation, options.look_timeout);
      operation = seen(std::move(operation), view, facts.provider_fenced, facts.caution, options, now);
      if (operation.outcome == Outcome::succeeded && !view.host.empty() && view.host != facts.node.host) {
        facts.node.host = view.host;
        looked.node_changed = true;
      }
    } else {
      const auto at = std::ranges::find(facts.observed, operation.adapter, &Observation::scheduler);
      if (at != facts.observed.end()) operation = seen(std::move(operation), *at, options, now);
    }
    if (operation.state != before) {
      looked.operations.push_back(operation);
      looked.events.push_back(operation_event(operation, now, ids));
    }
  }
  return looked;
}

}  // namespace sickbay::engine
