// Clusters.
#include "store/clusters.hpp"

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
  execute(tx, "DELETE FROM finding WHERE node IN (SELECT id FROM node WHERE cluster = ?1)", id);
  execute(tx, "DELETE FROM heartbeat WHERE node IN (SELECT id FROM node WHERE cluster = ?1)", id);
  execute(tx, "DELETE FROM token WHERE node <> '' AND node IN (SELECT id FROM node WHERE cluster = ?1)", id);
  execute(tx, "DELETE FROM operation WHERE cluster = ?1", id);
  execute(tx, "DELETE FROM slot WHERE cluster = ?1", id);
  execute(tx, "DELETE FROM alert WHERE cluster = ?1", id);
  execute(tx, "DELETE FROM event WHERE cluster = ?1", id);
  execute(tx, "DELETE FROM cluster WHERE id = ?1", id);  // what refers to it goes with it
}

}  // namespace sickbay::store
