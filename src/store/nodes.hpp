// Nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/node.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

std::optional<Node> get_node(Tx& tx, std::string_view id);
// Its cluster and name, also where its document cannot be read.
std::optional<std::pair<std::string, std::string>> place_of_node(Tx& tx, std::string_view id);
std::optional<Node> find_node(Tx& tx, std::string_view cluster, std::string_view name);
std::vector<Node> list_nodes(Tx& tx, std::string_view cluster);                            // not removed ones
std::uint32_t count_nodes(Tx& tx, std::string_view cluster);                               // not removed ones
std::vector<Node> nodes_of_host(Tx& tx, std::string_view cluster, std::string_view host);  // not removed ones
void put_node(Tx& tx, const Node& node);                                                   // unique (cluster, name)

}  // namespace sickbay::store
