// How a node becomes what people look at: one word for its state, and what is going on with it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "resources/node.hpp"
#include "store/tx.hpp"

namespace sickbay::api {

// `alerts`: the node's that are not resolved; `repair`: the open one.
resources::Node node_view(const Node& node, const std::vector<Alert>& alerts, const std::optional<Repair>& repair);
// All nodes of a cluster, in a handful of statements whatever their number; by name.
std::vector<resources::Node> node_views(store::Tx& tx, std::string_view cluster);
resources::Node read_node_view(store::Tx& tx, const Node& node);
// All that is known of one node, save why it is as it is, which the engine says. `unreachable`: of the whole cluster.
resources::NodeDetail read_node_detail(store::Tx& tx, const Node& node,
                                       std::vector<resources::UnreachableAdapter> unreachable);

}  // namespace sickbay::api
