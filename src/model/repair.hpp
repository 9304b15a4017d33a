// Repairs, the operations they touch the world with, and the holds that keep a node out of service.
#pragma once

#include "model/alert.hpp"
#include "model/node.hpp"

namespace sickbay {

// A decision on a repair: a person's, or policy's in their place. A name says nothing of that: people choose theirs.
struct Review {
  std::string by;  // a principal's name, or "Auto-Approved"
  Time at{};
  std::string comment;
  ReviewHow how = ReviewHow::by_person;
  BOOST_DESCRIBE_CLASS(Review, (), (by, at, comment, how), (), ())
};

struct StepTime {
  RepairState state = RepairState::PENDING_APPROVAL;
  RepairStep step = RepairStep::ask;
  Time at{};
  std::string why;
  BOOST_DESCRIBE_CLASS(StepTime, (), (state, step, at, why), (), ())
};

struct Repair {
  std::string id;
  std::string cluster, node, node_name, pool, host;
  std::string request_id;  // idempotency id, or detector + request id; empty for recommendations
  Trigger trigger = Trigger::automated;
  Action recommended = Action::none;  // what the rules came to
  Action action = Action::none;       // what runs
  Fault fault;                        // the leading fault: the unit of escalation
  std::vector<std::string> alerts;    // ids of the linked alerts
  bool by_evidence = true;            // false: a person asked without alerts; never auto-resolves
  RepairState state = RepairState::PENDING_APPROVAL;
  RepairStep step = RepairStep::ask;
  std::uint64_t revision = 1;  // grows with every change a person should see before deciding
  Time created_at{}, updated_at{};
  std::optional<Time> recommended_at;  // when the action last changed
  std::optional<Time> started_at, ended_at;
  std::string requested_by;
  std::string reason;                // why it was recommended or asked for
  std::vector<std::string> reasons;  // each rule that shaped it, in words
  std::optional<Review> review;
  std::uint64_t policy_version = 0;
  std::string policy_rule;  // the rule that applied: "consent[2]", "confirmation", "admin override: ..."
  bool evidence_overridden = false;
  std::vector<std::string> waits_for;              // whom or what it waits for now; empty: nothing
  std::optional<std::string> cancel_requested_by;  // who wants it cancelled; honoured at the next safe point
  std::optional<std::string> force_drain;          // who said to drain by force
  std::optional<Time> admitted_at, wait_until, step_deadline, verify_good_since;
  std::uint32_t attempt = 0;       // of the consequential action
  std::string retry_of;            // the repair whose quarantine this one inherits
  std::string target_host;         // of a migrate
  std::uint64_t epoch_before = 0;  // evidence before the act
  std::string boot_before, machine_before, host_before;
  std::optional<Time> acted_at;       // dispatch of the act
  std::string error;                  // what failed, for a person
  std::optional<std::string> person;  // set while a person must decide: what they are asked
  std::vector<StepTime> steps;
  BOOST_DESCRIBE_CLASS(Repair, (),
                       (id, cluster, node, node_name, pool, host, request_id, trigger, recommended, action, fault,
                        alerts, by_evidence, state, step, revision, created_at, updated_at, recommended_at, started_at,
                        ended_at, requested_by, reason, reasons, review, policy_version, policy_rule,
                        evidence_overridden, waits_for, cancel_requested_by, force_drain, admitted_at, wait_until,
                        step_deadline, verify_good_since, attempt, retry_of, target_host, epoch_before, boot_before,
                        machine_before, host_before, acted_at, error, person, steps),
                       (), ())
};

// An intended touch of the world (engine.md 3). Committed before anything is sent.
struct Operation {
  std::string id;
  std::string repair, cluster, node, host;
  std::string node_name;
  OperationKind kind = OperationKind::act;
  Action action = Action::none;  // of kind act
  std::string adapter;           // the scheduler or provider it goes to
  bool force = false;            // drain without asking budgets
  DrainOptions drain;            // of kind drain
  std::string uid;               // the scheduler's object it is meant for: a precondition; empty: any
  std::string object_version;    // ... and its version, where the scheduler has versions
  std::uint32_t attempt = 1;
  OperationState state = OperationState::planned;
  std::string owner;                // the replica that took it
  std::optional<Time> dispatch_by;  // the owner sends before, or never
  Time planned_at{};
  std::optional<Time> dispatched_at, concluded_at;
  Time deadline{};                 // the outcome is due; it moves with the moment of sending
  std::uint64_t epoch_before = 0;  // the evidence before
  std::string boot_before, machine_before, host_before, target_host;
  std::string reference;  // the adapter's own id for it
  std::optional<Outcome> outcome;
  std::string detail;                 // what the adapter said, for a person
  std::vector<std::string> blockers;  // of a drain: what its last answer named
  std::optional<std::string> recall;  // of an act that was sent: who wants it recalled, where the provider can
  std::uint64_t version = 1;          // compare-and-swap
  BOOST_DESCRIBE_CLASS(Operation, (),
                       (id, repair, cluster, node, host, node_name, kind, action, adapter, force, drain, uid,
                        object_version, attempt, state, owner, dispatch_by, planned_at, dispatched_at, concluded_at,
                        deadline, epoch_before, boot_before, machine_before, host_before, target_host, reference,
                        outcome, detail, blockers, recall, version),
                       (), ())
};

// That a node is kept out of one scheduler (engine.md 5).
struct Hold {
  std::string node, scheduler;
  std::string repair;  // the owner; its id is in the mark
  std::string uid;     // the scheduler's object that carries the mark, where it is known
  bool wanted = true;  // false: to be released
  std::optional<Time> placed_at, observed_at, released_at;
  BOOST_DESCRIBE_CLASS(Hold, (), (node, scheduler, repair, uid, wanted, placed_at, observed_at, released_at), (), ())
};

// Whose limit a slot counts for: one pool's, or (no pool) the whole cluster's. A pool must be said to be one: a bare
// text in the place of a scope, "cluster" above all, does not compile.
struct SlotScope {
  SlotScope() = default;
  explicit SlotScope(std::string of_pool) : pool(std::move(of_pool)) {}
  std::optional<std::string> pool;
  bool operator==(const SlotScope&) const = default;
  BOOST_DESCRIBE_CLASS(SlotScope, (), (pool), (), ())
};
// "pool:NAME" or "cluster", and back.
std::string text_of(const SlotScope& scope);
SlotScope slot_scope(std::string_view text);

// A concurrency slot held by a running repair.
struct Slot {
  std::string cluster;
  SlotScope scope;
  std::string repair, node;
  Time since{};
  BOOST_DESCRIBE_CLASS(Slot, (), (cluster, scope, repair, node, since), (), ())
};

}  // namespace sickbay
