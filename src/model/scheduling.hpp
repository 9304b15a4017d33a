// What a scheduler says of a node, and what it declares of itself. Schedulers differ in what they can promise about
// marks; the declaration says it, the contract (ports/scheduler.hpp) follows from it, and people are told what cannot
// be promised where they decide.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "model/words.hpp"

namespace sickbay {

// How a drain goes about the work on a node. Which of these a scheduler understands, it declares.
struct DrainOptions {
  std::optional<Duration> grace;        // what each pod or job is given to end; absent: its own
  bool empty_dir = true;                // also work with data that goes with it (emptyDir)
  bool unmanaged_pods = false;          // also pods that nothing will start again elsewhere
  std::optional<Duration> force_after;  // what still has not left so long after it was asked is taken away by force
  BOOST_DESCRIBE_CLASS(DrainOptions, (), (grace, empty_dir, unmanaged_pods, force_after), (), ())
};

struct SchedulerCapabilities {
  SchedulerKind kind = SchedulerKind::kubernetes;
  // Compare-and-swap: a cordon or uncordon changes nothing when the node changed since the adapter looked. Without it
  // somebody's change in between, or a request of ours that comes late, may be overwritten.
  bool atomic_marks = true;
  // A cordon that somebody sets while ours stands is kept beside it. Without it (one bit for everybody) it cannot be
  // told from ours and ends with ours; one that stood before ours is remembered either way.
  bool foreign_cordon_visible = true;
  std::vector<DrainOption> drain_options = {};  // what a drain understands beyond asking
  // A view may be this old when it is given, at most 40 s; NodeStatus::age says how old it is.
  Duration view_age{};
  BOOST_DESCRIBE_CLASS(SchedulerCapabilities, (), (kind, atomic_marks, foreign_cordon_visible, drain_options, view_age),
                       (), ())
};

// A condition as Kubernetes has them; of Slurm the node's state, with its reason.
struct Condition {
  std::string type, status, reason, message;
  std::optional<Time> since;
  BOOST_DESCRIBE_CLASS(Condition, (), (type, status, reason, message, since), (), ())
};

// Who holds the node.
struct Holder {
  std::string kind;  // "pod" or "job"
  std::string id, name, owner;
  std::optional<Time> until;  // when it ends at the latest, where the scheduler knows
  BOOST_DESCRIBE_CLASS(Holder, (), (kind, id, name, owner, until), (), ())
};

// A request that a detector of the customer's wrote onto the scheduler's object (product.md 4.4).
struct LabelRequest {
  Action action = Action::none;
  std::string detector, request_id, reason, evidence;
  BOOST_DESCRIBE_CLASS(LabelRequest, (), (action, detector, request_id, reason, evidence), (), ())
};

// What a scheduler says of one node, in a list and in a look alike.
struct NodeStatus {
  std::string name;
  std::string uid;  // of the scheduler's object
  // Where the scheduler has versions: another one whenever a mark or a cordon on the node changes, and not for anything
  // else (a heartbeat must not refuse a cordon).
  std::string version;
  std::string pool;
  // How old this view was when it was given, by the adapter's own monotonic clock (wall clocks of servers and database
  // may differ): zero for a look made for this very answer.
  Duration age{};
  bool exists = true;
  bool ready = false;  // would take work now, but for cordons and marks: Kubernetes' Ready; Slurm's node is not DOWN
  // It answers the scheduler: the kubelet posts its status, slurmd registered. After a boot this proves the node, since
  // Slurm keeps it DOWN or drained until it is told otherwise (ReturnToService).
  bool registered = false;
  bool cordoned = false;      // takes no new work, whoever said so
  std::string hold_owner;     // the repair id in our mark, while our mark is whole: it is there and keeps work away
  bool foreign_mark = false;  // a cordon or drain that is not ours
  Idleness idleness = Idleness::unknown;  // of accelerators: whether work holds or asks for them (product.md 4.1)
  // Nothing is left that a drain has to move, with or without accelerators: no pod but those of DaemonSets and mirrors,
  // no job. Absent: not known, which is not "nothing".
  std::optional<bool> drained;
  std::vector<Condition> conditions;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::int64_t> capacity;  // "nvidia.com/gpu": 8
  std::optional<LabelRequest> request;
  std::vector<Holder> holders;        // pods or jobs on it, bounded, for people
  std::vector<std::string> blockers;  // what the drain waits for: "pod x: PodDisruptionBudget y"
  std::string error;                  // of a look: why it failed; everything else is unknown then
  BOOST_DESCRIBE_CLASS(NodeStatus, (),
                       (name, uid, version, pool, age, exists, ready, registered, cordoned, hold_owner, foreign_mark,
                        idleness, drained, conditions, labels, capacity, request, holders, blockers, error),
                       (), ())
};

// The last thing known of a node in one scheduler (engine.md 5). Unknown is not idle and not healthy. A look that
// failed leaves what was seen before and sets `error`.
struct Observation : NodeStatus {
  std::string node, scheduler;
  SchedulerKind kind = SchedulerKind::kubernetes;
  Time seen_at{};                  // by the database's clock: when the call began, less the view's age
  std::optional<Time> idle_since;  // first of the unbroken streak of idle looks
  std::uint32_t idle_looks = 0;    // length of that streak
  std::uint32_t gone_looks = 0;    // streak of looks that did not find the node, at least 15 s apart
  std::optional<Time> gone_since;  // first of that streak
  BOOST_DESCRIBE_CLASS(Observation, (NodeStatus),
                       (node, scheduler, kind, seen_at, idle_since, idle_looks, gone_looks, gone_since), (), ())
};

// What the scheduler says of whether the node can take work, of its Ready condition or its Slurm state: "DOWN", "bad
// PSU". Both empty: nothing.
struct ReadyState {
  std::string state, reason;
};
ReadyState ready_state(const NodeStatus& status);
std::string sentence(const ReadyState& state);  // "DOWN: bad PSU"
// "job 1234 of ann, until 2026-05-01T10:00:00Z".
std::string sentence(const Holder& holder);

}  // namespace sickbay
