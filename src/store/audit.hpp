// The audit log, append-only.
#pragma once

#include <string>
#include <vector>

#include "model/people.hpp"
#include "store/paging.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

void add_audit(Tx& tx, const AuditRow& row);
std::vector<AuditRow> unpublished_audit(Tx& tx, std::size_t limit);
void publish_audit(Tx& tx, const std::vector<AuditRow>& rows);  // sequence and hash are set here, from the last row
Paged<AuditRow> list_audit(Tx& tx, const Page& page);           // newest first
// What the hash of a published row must be after the row with the hash `previous` (empty: the first row).
std::string audit_hash(std::string_view previous, AuditRow row);
// The last published row's number and hash: a log that ends before was cut off.
struct AuditHead {
  std::uint64_t sequence = 0;
  std::string hash;
};
AuditHead audit_head(Tx& tx);

}  // namespace sickbay::store
