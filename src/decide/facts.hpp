// What decisions are made from. The engine reads these as one snapshot; the pure functions of this room never look
// anywhere else.
#pragma once

#include <map>

#include "model/event.hpp"
#include "model/policy.hpp"
#include "model/provider.hpp"
#include "model/repair.hpp"

namespace sickbay::decide {

// A finding that no turn has folded into an alert yet. epoch 0: seen from outside the node (no session).
struct FreshFinding {
  Finding finding;
  std::uint64_t epoch = 0;
  Time received_at{};
};

// What the engine knows of itself that bars decisions.
struct SafetyState {
  bool observe_only = false;      // after a restore, until a person confirms: start nothing, send nothing
  bool deadlines_frozen = false;  // the clock stepped: no destructive deadline expires
  bool ingest_lagging = false;    // findings are over 30 s late: nothing starts automatically
  bool operator==(const SafetyState&) const = default;
};

// An adapter that cannot be reached (engine.md 1).
struct Unreachable {
  Time since{};
  std::string error;  // what the calls came to
};

// Everything about one node at one moment.
struct NodeFacts {
  Node node;
  Host host;                        // under the node; id empty when unknown
  std::optional<Host> host_before;  // the open repair's host_before, where another host is under the node now
  Cluster cluster;
  PolicyVersion policy;
  FaultTable faults;                    // the default table with the policy's rows over it
  std::optional<Session> session;       // the newest
  std::optional<Time> last_heartbeat;   // of the newest session
  std::optional<Time> listening_since;  // since when some replica has listened without a gap
  Duration heartbeat_interval = seconds{60};
  std::vector<FreshFinding> fresh;
  bool more_fresh = false;            // there are more findings than one turn takes
  std::vector<Alert> alerts;          // not resolved; those the open repair links; and those of this host resolved
                                      // within 10 days
  std::optional<Repair> repair;       // the open one
  std::vector<Repair> history;        // ended ones of this node or this host, started within 10 days, newest first
  std::vector<Operation> operations;  // the open repair's; any other of this node that is not concluded, or was
                                      // concluded within the last 10 minutes
  std::vector<Hold> holds;            // not released
  std::vector<Observation> observed;  // one per scheduler at most
  std::uint32_t spares = 0;           // spare hosts fit for this node: shape, reservation, checked within 7 days
  std::optional<ProviderCapabilities> provider;             // what the node's provider declared; absent: not known yet
  std::map<std::string, SchedulerCapabilities> schedulers;  // what the node's schedulers declare, by adapter
  // Names of other nodes on the node's host, and on host_before; and the one whose action is under way on the host.
  std::vector<std::string> host_shared_with, host_before_shared_with;
  std::string host_busy_with;
  // Schedulers in which the node carries a mark of ours whose repair the database does not know, and that repair.
  std::map<std::string, std::string> unknown_marks;
  Duration clock_steps{};                          // how far the clock has stepped ahead in all
  std::map<std::string, Unreachable> unreachable;  // those of the node's adapters that cannot be reached, by name
  SafetyState caution;
};

// What a turn came to. The engine writes all of it in one transaction or none of it.
struct NodeChanges {
  std::optional<Node> node;
  std::vector<Alert> alerts;
  std::vector<std::string> folded;    // ids of the findings this turn dealt with
  std::optional<Repair> repair;       // created or changed
  std::vector<Operation> operations;  // created (planned) or changed
  std::vector<Hold> holds;
  std::vector<Host> hosts;
  std::vector<Event> events;
  bool release_slots = false;    // the repair ended: its slots are free
  bool wake_cluster = false;     // unhealthy nodes changed: the breaker should look
  bool wants_admission = false;  // automatic approval, or a start, is for the admission transaction to decide
  std::optional<Time> due;       // look again then, at the latest; absent: nothing is waited for
};

// What admission counts, in statements after its locks (engine.md 4).
struct AdmissionFacts {
  Cluster cluster;
  PolicyVersion policy;
  Node node;
  Repair repair;
  std::vector<Alert> alerts;           // the repair's linked alerts
  bool node_out_of_service = false;    // already unavailable: repairing it costs no availability
  std::uint32_t nodes = 0;             // in the cluster now
  std::uint32_t out_of_service = 0;    // for any cause, the target not counted
  std::vector<Slot> slots;             // all of the cluster
  std::vector<Time> turned_unhealthy;  // when each node of the cluster that is unhealthy now (pending or firing
                                       // alert with an action, or silent) turned so, within the last 5 minutes
  std::uint32_t spares = 0;
  SafetyState caution;
};

struct AdmissionChanges {
  std::optional<Repair> repair;  // approved, started, or with other waits_for
  std::vector<Slot> take;
  std::optional<Cluster> cluster;  // breaker
  std::vector<Event> events;
  std::optional<Time> due;
};

// What the breaker looks at in the cluster's own turn.
struct ClusterFacts {
  Cluster cluster;
  PolicyVersion policy;
  std::uint32_t nodes = 0;
  std::vector<Time> turned_unhealthy;  // as above
};

struct ClusterChanges {
  std::optional<Cluster> cluster;
  std::vector<Event> events;
  std::optional<Time> due;
};

}  // namespace sickbay::decide
