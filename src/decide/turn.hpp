// The working state of one node's turn: a copy of what may change, what was read for the rest, and the few verbs that
// every decision uses (say an event, move the repair, plan an operation). Internal to decide/; the engine sees
// NodeFacts and NodeChanges only. The parts of a turn are alerts.hpp, recommend.hpp, advance.hpp and holds.hpp.
#pragma once

#include <fmt/core.h>

#include "base/expect.hpp"
#include "decide/decide.hpp"
#include "decide/windows.hpp"

namespace sickbay::decide {

// The policy's numbers that product.md fixes and no operator changes.
inline constexpr Duration kApprovalDelay = seconds{60};      // since the first alert, before automatic approval (4.3)
inline constexpr Duration kLookApart = seconds{15};          // between two idle looks that both count (4.1)
inline constexpr Duration kRetryAfter = seconds{10};         // a failed cordon, uncordon or drain is planned again
inline constexpr Duration kDrainAgain = seconds{30};         // a drain is asked for again while work remains
inline constexpr Duration kForcedDrainSettles = minutes{2};  // after a forced drain the action goes on regardless
inline constexpr Duration kEscalationWindow = hours{7 * 24};
inline constexpr Duration kJoinWindow = seconds{60};  // secondary faults join within (3.1)
inline constexpr Duration kPoll = seconds{15};        // while the world changes without telling us
inline constexpr Duration kPollLost = minutes{5};     // ... and cannot be asked: whoever waits is woken when it can
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

  Event& say(EventKind kind, std::string message);
  Event& say(const Alert& alert, EventKind kind, std::string message);

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
// The adapter's name and, where it cannot be reached, since when and why: "k8s, which cannot be reached since ...,".
std::string reach_of(const Turn& turn, std::string_view adapter);

}  // namespace sickbay::decide
