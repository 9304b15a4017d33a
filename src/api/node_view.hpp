// A node as people look at it: one word for its state, and what is going on with it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/policy.hpp"
#include "model/repair.hpp"
#include "store/tx.hpp"

namespace sickbay::api {

BOOST_DEFINE_ENUM_CLASS(NodeState, healthy, booting, unhealthy, pending, paused)

struct NodeRepair {
  std::string id, mode;
  RepairState state = RepairState::PENDING_APPROVAL;
  RepairStep step = RepairStep::ask;
  std::vector<std::string> waits_for;
  std::optional<std::string> person;
  BOOST_DESCRIBE_CLASS(NodeRepair, (), (id, mode, state, step, waits_for, person), (), ())
};

struct NodeView {
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
  BOOST_DESCRIBE_CLASS(NodeView, (),
                       (id, name, cluster_id, pool, host, state, headline, firing, pending, repair, quarantine,
                        identity_conflict, auto_repair, shape, labels, phase, machine_id, boot_id, boot_started_at,
                        cooldown_until),
                       (), ())
};

// `alerts`: the node's that are not resolved; `repair`: the open one.
NodeView node_view(const Node& node, const std::vector<Alert>& alerts, const std::optional<Repair>& repair);
// All nodes of a cluster, in a handful of statements whatever their number; by name.
std::vector<NodeView> node_views(store::Tx& tx, std::string_view cluster);
NodeView read_node_view(store::Tx& tx, const Node& node);

}  // namespace sickbay::api
