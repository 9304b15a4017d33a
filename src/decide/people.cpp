// What people decide about a repair that exists: approve, reject, cancel, force the drain, and say what became of an
// operation nobody could observe. A decision repeated by the same person is no second decision and no error.
#include "decide/turn.hpp"

namespace sickbay::decide {

namespace {

constexpr Duration kJustRaised = seconds{60};  // api.md: approving blind within this of a raise is refused

Status may(const Person& who, Role least, std::string_view verb) {
  if (who.role >= least) return {};
  return fail(Errc::forbidden,
              fmt::format("{} is a {}; to {} takes the role {}", who.name, name_of(who.role), verb, name_of(least)));
}

tl::unexpected<Error> wrong_state(const Repair& repair, std::string_view verb, std::string_view needed) {
  return fail(Errc::conflict, fmt::format("repair {} is {} and cannot be {}; that takes {}", repair.id,
                                          name_of(repair.state), verb, needed));
}

Status sees_what_it_is(const Repair& repair, const Approval& approval, Time now) {
  if (approval.revision && *approval.revision != repair.revision) {
    return fail(Errc::changed, fmt::format("repair {} is at revision {} now ({}), not {}: look again, then decide",
                                           repair.id, repair.revision, sentence(repair), *approval.revision));
  }
  const bool raised = repair.recommended_at && *repair.recommended_at > repair.created_at;
  if (!approval.revision && raised && now < *repair.recommended_at + kJustRaised) {
    return fail(Errc::conflict,
                fmt::format("the recommendation was raised to {} less than a minute ago: look again and "
                            "approve revision {}",
                            name_of(repair.action), repair.revision));
  }
  return {};
}

Status may_override(const Repair& repair, Action action, std::string_view comment) {
  if (action == repair.action) return {};
  if (action == Action::power_cycle || action == Action::none) {
    return fail(Errc::refused, fmt::format("'{}' cannot be chosen in place of the recommendation", name_of(action)),
                "mode");
  }
  if (comment.empty()) {
    return fail(Errc::refused, "choosing another action than the recommended one takes a comment that says why",
                "comment");
  }
  return {};
}

}  // namespace

Result<Repair> approve(const Repair& repair, const Policy& policy, const Person& who, const Approval& approval,
                       Time now) {
  SICKBAY_CHECK(may(who, Role::operator_, "approve"));
  const Action action = approval.action.value_or(repair.action);
  if (repair.state != RepairState::PENDING_APPROVAL) {
    const bool again =
        repair.review && repair.review->by == who.name && !was_rejected(repair) && action == repair.action;
    if (again) return repair;
    return wrong_state(repair, "approved", "PENDING_APPROVAL");
  }
  if (policy.requester_may_not_approve && repair.requested_by == who.name) {
    return fail(Errc::forbidden, "policy says that who asked for a repair may not approve it: ask another operator");
  }
  SICKBAY_CHECK(sees_what_it_is(repair, approval, now));
  SICKBAY_CHECK(may_override(repair, action, approval.comment));
  Repair approved = repair;
  approved.review = Review{who.name, now, approval.comment};
  if (action != repair.action) {
    approved.reasons.push_back(fmt::format("{} chose {} instead of {}: {}", who.name, name_of(action),
                                           name_of(repair.action), approval.comment));
    approved.action = action;
  }
  set_step(approved, RepairState::PENDING, RepairStep::queued, now, "approved by " + who.name);
  return approved;
}

Result<Repair> reject(const Repair& repair, const Person& who, std::string_view comment, Time now) {
  SICKBAY_CHECK(may(who, Role::operator_, "reject"));
  if (was_rejected(repair) && repair.review->by == who.name) return repair;
  if (repair.state != RepairState::PENDING_APPROVAL) return wrong_state(repair, "rejected", "PENDING_APPROVAL");
  Repair rejected = repair;
  rejected.review = Review{who.name, now, std::string(comment)};
  rejected.ended_at = now;
  set_step(rejected, RepairState::CANCELLED, RepairStep::done, now, "rejected by " + who.name);
  return rejected;
}

Result<Repair> cancel(const Repair& repair, const Person& who, Time now) {
  SICKBAY_CHECK(may(who, Role::operator_, "cancel"));
  if (repair.cancel_requested_by == who.name && repair.state != RepairState::SUCCEEDED) return repair;
  if (is_final(repair.state)) return wrong_state(repair, "cancelled", "a repair that has not ended");
  if (repair.step == RepairStep::give_back || repair.step == RepairStep::undo) {
    return wrong_state(repair, "cancelled", "a step before the node is given back");
  }
  Repair cancelled = repair;
  cancelled.cancel_requested_by = who.name;
  cancelled.updated_at = now;
  if (repair.state == RepairState::PENDING_APPROVAL || repair.state == RepairState::PENDING) {
    cancelled.ended_at = now;
    set_step(cancelled, RepairState::CANCELLED, RepairStep::done, now, "cancelled by " + who.name);
  }
  return cancelled;
}

Result<Repair> force_drain(const Repair& repair, const Person& who, Time now) {
  SICKBAY_CHECK(may(who, Role::operator_, "force a drain"));
  if (repair.force_drain == who.name && !is_final(repair.state)) return repair;
  if (repair.step != RepairStep::wait && repair.step != RepairStep::drain) {
    return wrong_state(repair, "drained by force", "QUARANTINED, or RUNNING in its drain");
  }
  Repair forced = repair;
  forced.force_drain = who.name;
  forced.updated_at = now;
  return forced;
}

Result<Operation> settle(const Operation& operation, const Person& who, Outcome outcome, std::string_view comment,
                         Time now) {
  SICKBAY_CHECK(may(who, Role::operator_, "settle an operation"));
  if (operation.state == OperationState::concluded && operation.outcome == outcome) return operation;
  if (operation.state != OperationState::ambiguous) {
    return fail(Errc::conflict, fmt::format("operation {} is {}: only an ambiguous one takes a person's word",
                                            operation.id, name_of(operation.state)));
  }
  Operation settled = operation;
  settled.state = OperationState::concluded;
  settled.outcome = outcome;
  settled.concluded_at = now;
  settled.detail =
      fmt::format("{} looked and says: {}{}{}", who.name, name_of(outcome), comment.empty() ? "" : ": ", comment);
  ++settled.version;
  return settled;
}

}  // namespace sickbay::decide
