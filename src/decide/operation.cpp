#include "decide/operation.hpp"

#include <fmt/core.h>

namespace sickbay::decide {
namespace {

void conclude(Operation& operation, Outcome outcome, const std::string& detail, Time now) {
  operation.state = OperationState::concluded;
  operation.outcome = outcome;
  operation.concluded_at = now;
  if (!detail.empty()) operation.detail = detail;
}

void make_ambiguous(Operation& operation, std::string detail) {
  operation.state = OperationState::ambiguous;
  operation.detail = std::move(detail);
}

void plan_again(Operation& operation) {
  operation.state = OperationState::planned;
  operation.owner.clear();
  operation.dispatch_by.reset();
}

// The time from which a call that was taken but never seen is certainly not in flight from its owner any more.
Time unseen_until(const Operation& operation, const CallTimes& times) {
  return operation.dispatch_by.value_or(operation.planned_at) + times.call_timeout + times.observe_grace;
}

void not_seen(Operation& operation, bool fenced, bool overdue, const CallTimes& times, Time at) {
  if (operation.state == OperationState::dispatching && at > unseen_until(operation, times)) {
    // The provider refuses a second effect: ask again, until its time is over.
    if (fenced && !overdue) return plan_again(operation);
    make_ambiguous(operation, "it was taken to be sent, and the provider knows nothing of it");
  } else if (operation.state == OperationState::acknowledged && overdue) {
    make_ambiguous(operation, "the provider took it on and knows nothing of it any more");
  }
}

}  // namespace

Operation recalled(Operation operation, const Reply& reply, Time now) {
  conclude(operation, Outcome::undone, "recalled: " + reply.detail, now);
  return operation;
}

bool is_sent(const Operation& operation) {
  return operation.state == OperationState::dispatching || operation.state == OperationState::acknowledged ||
         operation.state == OperationState::ambiguous;
}

Operation answered(Operation operation, const Reply& reply, bool again, Time now) {
  operation.detail = reply.detail;
  operation.blockers = reply.blockers;
  if (!reply.reference.empty()) operation.reference = reply.reference;
  const bool act = operation.kind == OperationKind::act;
  switch (reply.answer) {
    case Answer::done:
      conclude(operation, Outcome::succeeded, "", now);
      break;
    case Answer::accepted:
      // A drain that was taken on has been asked for; whether the node is empty is for the next look.
      if (act) operation.state = OperationState::acknowledged;
      if (!act) conclude(operation, Outcome::succeeded, "", now);
      break;
    case Answer::refused:
      if (!again || !act) {
        conclude(operation, Outcome::failed, "", now);
      } else {
        make_ambiguous(operation, "asked again and refused, so the first request may have happened: " + reply.detail);
      }
      break;
    case Answer::not_sent:
      plan_again(operation);
      if (!again && operation.dispatched_at) {  // its time has not begun
        operation.deadline -= *operation.dispatched_at - operation.planned_at;
        operation.dispatched_at.reset();
      }
      break;
    case Answer::unknown:
      break;  // stays dispatching: look before anything else
  }
  return operation;
}

Operation seen(Operation operation, const OperationView& view, bool fenced, const SafetyState& caution,
               const CallTimes& times, Time at) {
  const bool overdue = at > operation.deadline && !caution.deadlines_frozen;
  switch (view.progress) {
    case Progress::succeeded:
      conclude(operation, Outcome::succeeded, view.detail, at);
      break;
    case Progress::failed:
      conclude(operation, Outcome::failed, view.detail, at);
      break;
    case Progress::running:
      if (!overdue) {
        operation.state = OperationState::acknowledged;
      } else if (operation.state != OperationState::ambiguous) {
        make_ambiguous(operation, "the provider still reports it running after its deadline");
      }
      break;
    case Progress::not_seen:
      if (!caution.deadlines_frozen) not_seen(operation, fenced, overdue, times, at);
      break;
    case Progress::unreadable:
      if (operation.state != OperationState::ambiguous && overdue) {
        make_ambiguous(operation, fmt::format("its outcome could not be read until its deadline: {}", view.detail));
      }
      break;
  }
  return operation;
}

Operation seen(Operation operation, const Observation& observation, const CallTimes& times, Time at) {
  if (!observation.error.empty()) return operation;
  if (at <= operation.dispatch_by.value_or(operation.planned_at) + times.call_timeout) return operation;
  const bool ours = observation.hold_owner == operation.repair;
  const bool happened =
      (operation.kind == OperationKind::cordon && ours) || (operation.kind == OperationKind::uncordon && !ours);
  if (happened) {
    conclude(operation, Outcome::succeeded, "seen at the scheduler", at);
  } else {
    conclude(operation, Outcome::undone, "not seen at the scheduler; it may be asked again", at);
  }
  return operation;
}

}  // namespace sickbay::decide
