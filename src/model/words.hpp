// The closed lists of product.md's words. Described for Boost.Describe, so that model/json.hpp can write and read them
// by name: lower-case names have '-' for '_' outside ("power-cycle"), upper-case ones stay as they are.
#pragma once

#include <boost/describe/enum.hpp>
#include <boost/describe/enum_to_string.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>
#include <string>
#include <string_view>

namespace sickbay {

BOOST_DEFINE_ENUM_CLASS(Severity, info, warning, critical)

// In the order of weight: escalation and "heavier" compare these.
BOOST_DEFINE_ENUM_CLASS(Action, none, reboot, power_cycle, reprovision, migrate, remove)

BOOST_DEFINE_ENUM_CLASS(AlertState, pending, firing, resolved)

// Lifecycle of product.md 4.2. The last four are final.
BOOST_DEFINE_ENUM_CLASS(RepairState, PENDING_APPROVAL, PENDING, QUARANTINING, QUARANTINED, RUNNING, SUCCEEDED, FAILED,
                        CANCELLED, AUTO_RESOLVED)
constexpr bool is_final(RepairState state) {
  return state >= RepairState::SUCCEEDED;
}

// The steps inside the states: queued in PENDING; cordon in QUARANTINING; wait in QUARANTINED; drain, act, verify and
// give_back in RUNNING; undo while a cancelled or cleared repair takes its holds back, before its final state.
BOOST_DEFINE_ENUM_CLASS(RepairStep, ask, queued, cordon, wait, drain, act, verify, give_back, undo, done)

BOOST_DEFINE_ENUM_CLASS(Trigger, manual, automated)

BOOST_DEFINE_ENUM_CLASS(OperationKind, cordon, drain, act, uncordon)
BOOST_DEFINE_ENUM_CLASS(OperationState, planned, dispatching, acknowledged, concluded, ambiguous)
// How a concluded operation ended. `undone`: it certainly did not happen and never will.
BOOST_DEFINE_ENUM_CLASS(Outcome, succeeded, failed, undone)

BOOST_DEFINE_ENUM_CLASS(Idleness, unknown, busy, idle)

// Simulated schedulers are of one of these kinds too.
BOOST_DEFINE_ENUM_CLASS(SchedulerKind, kubernetes, slurm)
// The members of DrainOptions, and `force`: take work away without asking its budgets.
BOOST_DEFINE_ENUM_CLASS(DrainOption, grace, empty_dir, unmanaged_pods, force_after, force)

BOOST_DEFINE_ENUM_CLASS(HostState, in_use, spare, vacated, inspecting, ticket)

// What makes an alert's fault over (the last column of product.md 3.3).
// reboot: a new boot id. quiet: no finding for `quiet_for`. condition: the detector says it is over, then `quiet_for`.
// load: good while the device was busy for `quiet_for`, or a passed check. check: a passed check.
BOOST_DEFINE_ENUM_CLASS(ClearsOn, reboot, quiet, condition, load, check)

BOOST_DEFINE_ENUM_CLASS(Role, viewer, technician, operator_, admin)

// What needs attention is of one of these kinds: a node's or a cluster's turn, a cluster's sync, publication.
BOOST_DEFINE_ENUM_CLASS(WorkKind, node, cluster, sync, publish)

// What an event tells of.
BOOST_DEFINE_ENUM_CLASS(EventKind, alert_pending, alert_firing, alert_joined, alert_history, alert_resolved,
                        repair_recommended, repair_created, repair_decision, repair_alert_joined, repair_raised,
                        repair_state, repair_step, repair_person, repair_cancel_wish, repair_cancel_late, operation,
                        operation_planned, operation_withdrawn, drain_forced, hold_dropped, host_vacated, host_left,
                        node, node_booted, node_released, cluster, policy, breaker, restore, turn_fails, clock_step)

// Whether a person reviewed a repair, or policy did.
BOOST_DEFINE_ENUM_CLASS(ReviewHow, by_person, automatically)

BOOST_DEFINE_ENUM_CLASS(PrincipalKind, person, token, agent, system)
// What a token is good for: the API, what a node's agent says, or (a ticket, once) joining as a node's agent.
BOOST_DEFINE_ENUM_CLASS(TokenPurpose, api, agent, ticket)

// The name outside of an enumerator, and back; empty / false for what is not one.
template <class E>
std::string name_of(E value) {
  std::string name(boost::describe::enum_to_string(value, ""));
  if (!name.empty() && name.back() == '_') name.pop_back();  // "operator_" and "auto_" are keywords with a tail
  if (!name.empty() && name.front() >= 'a') {
    for (char& c : name) c = c == '_' ? '-' : c;
  }
  return name;
}

template <class E>
bool value_of(std::string_view name, E& value) {
  bool found = false;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto d) {
    if (name_of(d.value) == name) value = d.value, found = true;
  });
  return found;
}

}  // namespace sickbay
