// Clusters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/policy.hpp"
#include "model/repair.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

std::optional<Cluster> get_cluster(Tx& tx, std::string_view id);
std::optional<Cluster> lock_cluster(Tx& tx, std::string_view id);  // FOR NO KEY UPDATE, then the row
std::vector<Cluster> list_clusters(Tx& tx);
void put_cluster(Tx& tx, const Cluster& cluster);  // inserts or replaces; so with every put_
void delete_cluster(Tx& tx, std::string_view id);  // forgets it with all that belongs to it

}  // namespace sickbay::store
