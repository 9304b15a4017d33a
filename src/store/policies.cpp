// Versions of clusters' policies.
#include "store/policies.hpp"

#include "store/sql.hpp"
#include "store/tables.hpp"

namespace sickbay::store {

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

}  // namespace sickbay::store
