// A node as people look at it: one word for its state, and what is going on with it; and with all that is known of it.
#pragma once

#include <boost/describe/class.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/repair.hpp"
#include "resources/adapter.hpp"
#include "resources/list.hpp"
#include "resources/modes.hpp"

namespace sickbay::resources {

BOOST_DEFINE_ENUM_CLASS(NodeState, healthy, booting, unhealthy, pending, paused)

// The open repair of a node, in short.
struct NodeRepair {
  std::string id;
  Mode mode = Mode::REMEDIATION_MODE_UNSPECIFIED;
  RepairState state = RepairState::PENDING_APPROVAL;
  RepairStep step = RepairStep::ask;
  std::vector<std::string> waits_for;
  std::optional<std::string> person;
  BOOST_DESCRIBE_CLASS(NodeRepair, (), (id, mode, state, step, waits_for, person), (), ())
};

struct Node {
  std::string id, name, cluster_id, pool, host;
  NodeState state = NodeState::healthy;
  std::string headline;                   // why it is not healthy, in a sentence; "" where it is
  std::uint32_t firing = 0, pending = 0;  // alerts
  std::optional<NodeRepair> repair;       // the open one
  std::optional<Quarantine> quarantine;
  std::optional<std::string> identity_conflict;
  bool auto_repair = true;
  Shape shape;
  std::map<std::string, std::string> labels;
  std::string phase, machine_id, boot_id;
  std::optional<Time> boot_started_at, cooldown_until;
  BOOST_DESCRIBE_CLASS(Node, (),
                       (id, name, cluster_id, pool, host, state, headline, firing, pending, repair, quarantine,
                        identity_conflict, auto_repair, shape, labels, phase, machine_id, boot_id, boot_started_at,
                        cooldown_until),
                       (), ())
};
struct NodeList {
  std::vector<Node> nodes;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(NodeList, (), (nodes, has_next, next_page_token), (), ())
};

// The agent as last heard; without the set of its active faults, which the alerts show.
struct Agent {
  std::uint64_t epoch = 0;
  std::string version, outbox;
  Time hello_at{};
  std::optional<Time> last_heartbeat;
  std::uint64_t dropped = 0, active_faults = 0;
  BOOST_DESCRIBE_CLASS(Agent, (), (epoch, version, outbox, hello_at, last_heartbeat, dropped, active_faults), (), ())
};
// What a scheduler says of the node, with what bars its drain and, where the last look failed, why: the model's own
// form less `age`, which is between an adapter and the engine. `seen_at` is when it was last seen or confirmed.
struct SchedulerLook : Observation {
  BOOST_DESCRIBE_CLASS(SchedulerLook, (),
                       (name, uid, version, pool, exists, ready, cordoned, hold_owner, foreign_mark, idleness,
                        conditions, labels, capacity, request, holders, blockers, error, node, scheduler, kind, seen_at,
                        idle_since, idle_looks, gone_looks, gone_since),
                       (), ())
};
struct NodeDetail : Node {
  std::vector<std::string> why;
  std::optional<Agent> agent;
  std::vector<SchedulerLook> schedulers;
  std::vector<UnreachableAdapter> unreachable;  // of its schedulers and its provider
  std::vector<sickbay::Alert> alerts;           // not resolved
  std::vector<Hold> holds;
  BOOST_DESCRIBE_CLASS(NodeDetail, (Node), (why, agent, schedulers, unreachable, alerts, holds), (), ())
};

struct NodeChange {
  std::optional<bool> auto_repair;
  BOOST_DESCRIBE_CLASS(NodeChange, (), (auto_repair), (), ())
};

// What a detector said, as it is kept.
struct StoredFinding : Finding {
  std::uint64_t epoch = 0;
  Time received_at{};
  BOOST_DESCRIBE_CLASS(StoredFinding, (Finding), (epoch, received_at), (), ())
};
struct FindingList {
  std::vector<StoredFinding> findings;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(FindingList, (), (findings, has_next, next_page_token), (), ())
};

}  // namespace sickbay::resources
