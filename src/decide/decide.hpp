// The decisions, all pure: functions of (facts, now). node_turn composes the others in this order:
//   sessions and findings -> alerts -> desired recommendation -> consent -> advance (one step) -> holds -> due
// Each is a file of its own with its own tests; each returns its reasons.
#pragma once

#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "decide/facts.hpp"

namespace sickbay::decide {

// One turn of a node. Deterministic (except ids) and idempotent: applied to its own result it changes
// nothing more until time passes or facts change.
NodeChanges node_turn(const NodeFacts& facts, Time now, Ids& ids);

// Automatic approval (PENDING_APPROVAL -> PENDING, review by "Auto-Approved") where consent allows it, and the start
// (PENDING -> QUARANTINING with slots) where limits, breaker, availability and capacity allow it.
AdmissionChanges admit(const AdmissionFacts& facts, Time now, Ids& ids);

// Of the open repairs that hold a slot: how many have been admitted to migrate and not moved yet, so that each has a
// spare host spoken for. The repair `except` asks for itself.
std::uint32_t reserved_spares(const std::vector<Repair>& admitted, std::string_view except);

// Whether the breaker opens now; keeps most_nodes_24h.
ClusterChanges cluster_turn(const ClusterFacts& facts, Time now, Ids& ids);

// The observation that a look, seen at its `seen_at`, makes of `previous` (absent: the first look). A failed look keeps
// what was seen before and says why; an older view than the one known changes nothing; idle looks count only when at
// least 15 s apart, and any busy or unknown look starts the streak anew. `took`: how long after seen_at it may have
// looked at the latest, since a call may be held up on its way; a streak counts from there.
Observation fold_observation(const std::optional<Observation>& previous, Observation look, Duration took = {});
// Fresh: the last look succeeded and is at most 60 s old.
bool is_fresh(const Observation& observation, Time now);

// Whether a planned operation must not be sent as things are now: its repair is barred (the breaker, an identity
// conflict, a restore), and what it does would reach jobs or the machine.
bool must_not_leave(const NodeFacts& facts, const Operation& operation);

// The consent for an action over several faults: strictest wins (never, ask, auto). `rule` names what applied.
struct ConsentDecision {
  ConsentAnswer answer = ConsentAnswer::ask;
  std::string rule;
};
ConsentDecision consent(const Policy& policy, const std::vector<Alert>& alerts, Action action, const Node& node);

// Why a node is as it is and what it waits for, in sentences, the most important first.
std::vector<std::string> why(const NodeFacts& facts, Time now);

// ---- What people ask. Each checks the state and returns the repair as it shall be, or the error the API shows.
// Repeating a decision already taken by the same person returns the repair unchanged.
struct Person {
  std::string name;
  Role role = Role::viewer;
};
struct Approval {
  std::optional<Action> action;           // another action than recommended; not power-cycle
  std::optional<std::uint64_t> revision;  // the revision the person saw
  std::string comment;                    // needed when the action is another
};
Result<Repair> approve(const Repair& repair, const Policy& policy, const Person& who, const Approval& approval,
                       Time now);
Result<Repair> reject(const Repair& repair, const Person& who, std::string_view comment, Time now);
Result<Repair> cancel(const Repair& repair, const Person& who, Time now);
Result<Repair> force_drain(const Repair& repair, const Person& who, Time now);
// Declares what became of an ambiguous operation, after a person looked: succeeded, failed or undone.
Result<Operation> settle(const Operation& operation, const Person& who, Outcome outcome, std::string_view comment,
                         Time now);

struct Request {
  Action action = Action::none;
  std::string request_id;
  std::string reason;
  bool override_evidence = false;  // admin only, with a reason
};
// A repair a person (or a program in a person's name) asks for: straight to PENDING. Refused, saying what is missing,
// without evidence or capacity (product.md 4.4) or while another repair is open.
Result<Repair> request(const NodeFacts& facts, const Person& who, const Request& request, Time now, Ids& ids);
// A new repair that inherits the quarantine of a FAILED one; the same action unless another is named.
Result<Repair> retry(const NodeFacts& facts, const Repair& failed, const Person& who, std::optional<Action> action,
                     std::string_view comment, Time now, Ids& ids);
// Returns a quarantined node to service as it is: the holds are to be released. Only with no open repair.
struct Release {
  Node node;
  std::vector<Hold> holds;
};
Result<Release> release(const NodeFacts& facts, const Person& who, std::string_view reason, Time now);

// Checks a policy document: bounds (wait at most 24 h, percentages, slots), unknown faults are allowed but noted.
struct PolicyCheck {
  std::vector<Error> errors;
  std::vector<std::string> notes;
};
PolicyCheck check_policy(const Policy& policy);

}  // namespace sickbay::decide
