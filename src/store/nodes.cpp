// Nodes.
#include "store/nodes.hpp"

#include "store/sql.hpp"
#include "store/tables.hpp"

namespace sickbay::store {

std::optional<Node> get_node(Tx& tx, std::string_view id) {
  return document<Node>(tx, kNode, "WHERE id = ?1", id);
}

std::optional<std::pair<std::string, std::string>> place_of_node(Tx& tx, std::string_view id) {
  auto rows = select<std::string, std::string>(tx, "SELECT cluster, name FROM node WHERE id = ?1", id);
  if (rows.empty()) return std::nullopt;
  return std::pair(std::move(std::get<0>(rows.front())), std::move(std::get<1>(rows.front())));
}

std::optional<Node> find_node(Tx& tx, std::string_view cluster, std::string_view name) {
  return document<Node>(tx, kNode, "WHERE cluster = ?1 AND name = ?2", cluster, name);
}

std::vector<Node> list_nodes(Tx& tx, std::string_view cluster) {
  return documents<Node>(tx, kNode, "WHERE cluster = ?1 AND removed = 0 ORDER BY name", cluster);
}

std::uint32_t count_nodes(Tx& tx, std::string_view cluster) {
  return select_one<std::uint32_t>(tx, "SELECT COUNT(*) FROM node WHERE cluster = ?1 AND removed = 0", cluster)
      .value_or(0);
}

std::vector<Node> nodes_of_host(Tx& tx, std::string_view cluster, std::string_view host) {
  return documents<Node>(tx, kNode, "WHERE cluster = ?1 AND host = ?2 AND removed = 0 ORDER BY name", cluster, host);
}

void put_node(Tx& tx, const Node& node) {
  put(tx, kNode, node,
      {{"id", param(node.id)},
       {"cluster", param(node.cluster)},
       {"name", param(node.name)},
       {"host", param(node.host)},
       {"epoch", param(node.epoch)},
       {"removed", param(node.removed_at.has_value())},
       {"quarantined", param(node.quarantine.has_value())}});
}

}  // namespace sickbay::store
