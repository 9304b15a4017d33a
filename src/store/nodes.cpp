// Clusters, policies, nodes and hosts; sessions are in sessions.cpp.
#include "store/nodes.hpp"

#include "store/sql.hpp"
#include "store/tables.hpp"

namespace sickbay::store {

std::optional<Cluster> get_cluster(Tx& tx, std::string_view id) {
  return document<Cluster>(tx, kCluster, "WHERE id = ?1", id);
}

std::optional<Cluster> lock_cluster(Tx& tx, std::string_view id) {
  return document<Cluster>(tx, kCluster, "WHERE id = ?1 FOR NO KEY UPDATE", id);
}

std::vector<Cluster> list_clusters(Tx& tx) {
  return documents<Cluster>(tx, kCluster, "ORDER BY id");
}

void put_cluster(Tx& tx, const Cluster& cluster) {
  put(tx, kCluster, cluster, {{"id", param(cluster.id)}});
}

void delete_cluster(Tx& tx, std::string_view id) {
  execute(tx, "DELETE FROM work WHERE kind = 'cluster' AND key = ?1", id);
  execute(tx, "DELETE FROM work WHERE kind = 'node' AND key IN (SELECT id FROM node WHERE cluster = ?1)", id);
  execute(tx, "DELETE FROM work WHERE kind = 'host' AND key IN (SELECT id FROM host WHERE cluster = ?1)", id);
  execute(tx, "DELETE FROM finding WHERE node IN (SELECT id FROM node WHERE cluster = ?1)", id);
  execute(tx, "DELETE FROM heartbeat WHERE node IN (SELECT id FROM node WHERE cluster = ?1)", id);
  execute(tx, "DELETE FROM token WHERE node <> '' AND node IN (SELECT id FROM node WHERE cluster = ?1)", id);
  execute(tx, "DELETE FROM operation WHERE cluster = ?1", id);
  execute(tx, "DELETE FROM slot WHERE cluster = ?1", id);
  execute(tx, "DELETE FROM alert WHERE cluster = ?1", id);
  execute(tx, "DELETE FROM event WHERE cluster = ?1", id);
  execute(tx, "DELETE FROM cluster WHERE id = ?1", id);  // what refers to it goes with it
}

void add_policy(Tx& tx, const PolicyVersion& policy) {
  const std::string doc = to_json_text(policy);
  execute(tx, "INSERT INTO policy (cluster, version, doc) VALUES (?1, ?2, ?3)", policy.cluster, policy.version, doc);
}

PolicyVersion current_policy(Tx& tx, std::string_view cluster) {
  auto found = document<PolicyVersion>(tx, kPolicy, "WHERE cluster = ?1 ORDER BY version DESC LIMIT 1", cluster);
  if (found) return std::move(*found);
  PolicyVersion first;
  first.cluster = std::string(cluster);
  return first;
}

std::optional<PolicyVersion> get_policy(Tx& tx, std::string_view cluster, std::uint64_t version) {
  return document<PolicyVersion>(tx, kPolicy, "WHERE cluster = ?1 AND version = ?2", cluster, version);
}

std::vector<PolicyVersion> list_policies(Tx& tx, std::string_view cluster) {
  return documents<PolicyVersion>(tx, kPolicy, "WHERE cluster = ?1 ORDER BY version DESC LIMIT 1000", cluster);
}

std::optional<Node> get_node(Tx& tx, std::string_view id) {
  return document<Node>(tx, kNode, "WHERE id = ?1", id);
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

void put_node(Tx& tx, const Node& node) {
  put(tx, kNode, node,
      {{"id", param(node.id)},
       {"cluster", param(node.cluster)},
       {"name", param(node.name)},
       {"epoch", param(node.epoch)},
       {"removed", param(node.removed_at.has_value())},
       {"quarantined", param(node.quarantine.has_value())}});
}

std::optional<Host> get_host(Tx& tx, std::string_view id) {
  return document<Host>(tx, kHost, "WHERE id = ?1", id);
}

std::vector<Host> list_hosts(Tx& tx, std::string_view cluster) {
  return documents<Host>(tx, kHost, "WHERE cluster = ?1 ORDER BY id", cluster);
}

std::uint32_t count_spares(Tx& tx, std::string_view cluster, std::string_view shape, std::string_view pool,
                           Time checked_since) {
  return select_one<std::uint32_t>(tx,
                                   "SELECT COUNT(*) FROM host WHERE cluster = ?1 AND state = 'spare' AND shape = ?2 "
                                   "AND reserved_for_pool IN ('', ?3) AND open_ticket = 0 AND checked_at >= ?4",
                                   cluster, shape, pool, checked_since)
      .value_or(0);
}

void put_host(Tx& tx, const Host& host) {
  const std::string state = name_of(host.state);
  put(tx, kHost, host,
      {{"id", param(host.id)},
       {"cluster", param(host.cluster)},
       {"state", param(state)},
       {"reserved_for_pool", param(host.reserved_for_pool)},
       {"shape", param(host.shape.name)},
       {"checked_at", param(host.checked_at)},
       {"open_ticket", param(host.open_ticket)}});
}

}  // namespace sickbay::store
