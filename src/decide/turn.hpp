// The working state of one node's turn: a copy of what may change, what was read for the rest, and the few verbs that
// every decision uses (say an event, move the repair, plan an operation). Internal to decide/; the engine sees
// NodeFacts and NodeChanges only.
#pragma once

#include <fmt/core.h>

#include "decide/decide.hpp"

namespace sickbay::decide {

// The policy's numbers that product.md fixes and no operator changes.
inline constexpr Duration kApprovalDelay = seconds{60};      // since the first alert, before automatic approval (4.3)
inline constexpr Duration kLookApart = seconds{15};          // between two idle looks that both count (4.1)
inline constexpr Duration kFresh = seconds{60};              // age up to which a look is fresh
inline constexpr Duration kRetryAfter = seconds{10};         // a failed cordon, uncordon or drain is planned again
inline constexpr Duration kDrainAgain = seconds{30};         // a drain is asked for again while work remains
inline constexpr Duration kForcedDrainSettles = minutes{2};  // after a forced drain the action goes on regardless
inline constexpr Duration kEscalationWindow = hours{7 * 24};
inline constexpr Duration kEvidenceWindow = hours{10 * 24};
inline constexpr Duration kJoinWindow = seconds{60};  // secondary faults join within (3.1)
inline constexpr int kSilentIntervals = 5;
inline constexpr std::string_view kAuto = "Auto-Approved";

struct Turn {
  Turn(const NodeFacts& facts, Time at, Ids& id_source);

  const NodeFacts& facts;
  const Policy& policy;
  const Time now;
  Ids& ids;

  // What may change.
  Node node;
  Host host;
  std::optional<Host> host_before;
  std::vector<Alert> alerts;
  std::optional<Repair> repair;
  std::vector<Operation> operations;
  std::vector<Hold> holds;

  std::vector<Event> events;
  std::vector<std::string> folded;
  bool release_slots = false, wake_cluster = false, wants_admission = false;
  std::optional<Time> due;
  bool asked = false;  // this step has a question for a person

  // Asks for another look at `at`, unless one comes sooner.
  void look_again(Time at) {
    if (!due || at < *due) due = at;
  }
  void look_in(Duration delay) { look_again(now + delay); }

  Event& say(std::string kind, std::string message);
  Event& say(const Alert& alert, std::string kind, std::string message);

  // Moves the open repair to a state and step, with a row in its steps and an event; deadlines of the step are reset.
  void move(RepairState state, RepairStep step, std::string why);
  // Ends the open repair: cooldown, slots, event. No operation of it may be open.
  void finish(RepairState state, std::string why);
  void wait_for(std::vector<std::string> whom);  // replaces repair.waits_for
  void ask_person(std::string question);         // sets repair.person, with an event when it is new
  void no_question();

  // The operation of this node that is not concluded; null if none.
  Operation* open_operation();
  // The newest operation of a repair of this kind on this adapter; null if none.
  const Operation* last(OperationKind kind, std::string_view adapter, std::string_view repair_id) const;
  // Plans an operation; false if nothing may be planned now (one is open, or observe_only).
  bool plan(OperationKind kind, std::string_view adapter, std::string_view repair_id, Duration within);
  // Takes back an operation that nobody has taken yet.
  void withdraw(Operation& operation, std::string why);

  const Observation* observed(std::string_view scheduler) const;
  Hold* hold(std::string_view scheduler);
  std::vector<Alert*> linked();  // the open repair's alerts that are known
};

// Adds the row of a step to a repair that moved (also used for what people do).
void set_step(Repair& repair, RepairState state, RepairStep step, Time now, std::string why);
std::string sentence(const Repair& repair);  // "reboot of node-7 for DmesgXidError/119"
bool is_automatic(const Repair& repair);     // approved by nobody but policy
bool was_rejected(const Repair& repair);     // a recommendation somebody declined
// The action went out (or may have): it was dispatched and not taken back.
bool has_acted(const Repair& repair);
// Nothing of this operation can be on its way. One that is planned again after it was sent (a fenced provider may be
// asked twice) keeps dispatched_at: its first request may still arrive, so it is never taken back.
bool never_sent(const Operation& operation);

// ---- The parts of a turn, in order. Each in its own file.
void note_session(Turn& turn);   // node_turn.cpp: who runs on the node now
void note_act(Turn& turn);       // advance.cpp: whether and when the act went out
void fold_findings(Turn& turn);  // alerts.cpp
void settle_boots(Turn& turn);   // alerts_settle.cpp: what another boot or host left behind
void derive_alerts(Turn& turn);  // alerts_derived.cpp: silence, identity, readiness
void settle_alerts(Turn& turn);  // alerts_settle.cpp: fires and clears
void recommend(Turn& turn);      // recommend.cpp
void watch_holds(Turn& turn);    // holds.cpp: what became of our marks
bool advance(Turn& turn);        // advance.cpp: one step; true if it took one
void tend_holds(Turn& turn);     // holds.cpp: holds without an open repair, marks without a hold

// ---- alerts
Alert* open_alert(Turn& turn, const Fault& fault, std::string_view device);
bool is_unhealthy(const Alert& alert);  // counts for the breaker
bool fires_with_action(const Alert& alert);
void resolve(Turn& turn, Alert& alert, std::string why);
using Means = Classification;  // what a fault comes to here
Means classify(const NodeFacts& facts, const Finding& finding);
// Opens an alert as pending.
Alert& open(Turn& turn, const Finding& finding, const Means& means, std::uint64_t epoch, Time at);

// ---- recommendation
struct Recommendation {
  Action action = Action::none;
  Fault fault;
  std::vector<std::string> alerts;
  std::vector<std::string> reasons;
  std::string reason;
  ConsentDecision consent;
  std::string none_because;  // why there is none, where somebody may ask; action is none then
};
// What the rules come to for the alerts that fire now, whether or not a recommendation may be made now.
Recommendation recommendation(const NodeFacts& facts, const std::vector<Alert>& alerts, const Node& node, Time now);
// Why no new automatic recommendation is made now (and until when, where time ends it); empty: it may be.
struct Withheld {
  std::string because;
  std::optional<Time> until;
};
Withheld withheld(const NodeFacts& facts, const Node& node, const std::vector<Alert>& alerts,
                  const Recommendation& wanted, Time now);

// ---- advance, by step
void step_cordon(Turn& turn);
void step_wait(Turn& turn);
void step_drain(Turn& turn);
void step_act(Turn& turn);
void step_verify(Turn& turn);
void step_return(Turn& turn);  // give_back and undo
// Why no step that touches jobs or the machine may be taken now; empty if it may.
std::vector<std::string> bars(const Turn& turn);
// All linked alerts are over (since when); empty while one stands or none is known.
std::optional<Time> evidence_gone_since(Turn& turn);
// The host a migrate or remove left goes to inspection.
void vacate(Turn& turn, Host& left, std::string why);
// The holds of the open repair are over without a call: the node they were on is gone.
void drop_holds(Turn& turn);
inline constexpr Duration kPoll = seconds{15};  // while the world changes without telling us

// ---- holds
// Creates the open repair's holds and plans the cordons that are missing; true when every scheduler has ours.
bool hold_everywhere(Turn& turn);
// Marks holds unwanted and plans uncordons in reverse order; true when all are released and seen to be.
bool release_everywhere(Turn& turn, std::string_view repair_id);
// Every scheduler says, in a fresh look after our mark was placed (and after `after`), idle twice.
bool is_idle(const Turn& turn, std::string_view scheduler, std::optional<Time> after);
bool all_idle(const Turn& turn);
std::string not_idle_because(const Turn& turn, std::string_view scheduler);
std::vector<std::string> not_idle_because(Turn& turn);

}  // namespace sickbay::decide
