// Findings, as agents sent them.
#pragma once

#include <string>
#include <vector>

#include "model/finding.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

struct StoredFinding {
  Finding finding;
  std::uint64_t epoch = 0;
  Time received_at{};
};

// Adds those that are new (by finding id) as unfolded, in one statement whatever their number; says how many were.
std::size_t add_findings(Tx& tx, std::string_view node, std::uint64_t epoch, const std::vector<Finding>& findings,
                         Time now);
std::vector<StoredFinding> unfolded_findings(Tx& tx, std::string_view node, std::size_t limit);
void mark_folded(Tx& tx, const std::vector<std::string>& ids);
std::vector<StoredFinding> list_findings(Tx& tx, std::string_view node, std::size_t limit);  // newest first

}  // namespace sickbay::store
