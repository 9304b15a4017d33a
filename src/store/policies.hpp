// Versions of clusters' policies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/policy.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

void add_policy(Tx& tx, const PolicyVersion& policy);  // unique (cluster, version): a race fails with Errc::changed
PolicyVersion current_policy(Tx& tx, std::string_view cluster);  // version 1 with the defaults where none was written
std::optional<PolicyVersion> get_policy(Tx& tx, std::string_view cluster, std::uint64_t version);
std::vector<PolicyVersion> list_policies(Tx& tx, std::string_view cluster);

}  // namespace sickbay::store
