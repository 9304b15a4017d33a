// The audit log, append-only: each published row's hash covers the row and the hash before it, and the counter keeps
// the last number and hash, so that a changed, removed or cut-off row shows (product.md 9).
#include "store/audit.hpp"

#include "store/page_of.hpp"
#include "store/tables.hpp"

namespace sickbay::store {

std::string audit_hash(std::string_view previous, AuditRow row) {
  row.hash.clear();
  return sha256_hex(std::string(previous) + "\n" + to_json_text(row));
}

void add_audit(Tx& tx, const AuditRow& row) {
  execute(tx, "INSERT INTO audit (id, at, doc) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO NOTHING", row.id, row.at,
          to_json_text(row));
}

std::vector<AuditRow> unpublished_audit(Tx& tx, std::size_t limit) {
  return documents<AuditRow>(tx, kAudit, "WHERE sequence IS NULL ORDER BY n LIMIT ?1", limit);
}

void publish_audit(Tx& tx, const std::vector<AuditRow>& rows) {
  if (rows.empty()) return;
  auto last =
      select<std::uint64_t, std::string>(tx, "SELECT value, hash FROM counter WHERE name = 'audit' FOR NO KEY UPDATE");
  if (last.empty()) refuse(Errc::internal, "the counter of audit rows is missing; restore a backup");
  auto& [sequence, hash] = last.front();
  for (AuditRow row : rows) {
    row.sequence = sequence + 1;
    row.hash = audit_hash(hash, row);
    // One that has its number already (the transaction is being repeated) is left alone.
    if (execute(tx, "UPDATE audit SET sequence = ?2, doc = ?3 WHERE id = ?1 AND sequence IS NULL", row.id,
                *row.sequence, to_json_text(row)) == 0) {
      continue;
    }
    sequence = *row.sequence;
    hash = row.hash;
  }
  execute(tx, "UPDATE counter SET value = ?1, hash = ?2 WHERE name = 'audit'", sequence, hash);
}

AuditHead audit_head(Tx& tx) {
  auto last = select<std::uint64_t, std::string>(tx, "SELECT value, hash FROM counter WHERE name = 'audit'");
  if (last.empty()) refuse(Errc::internal, "the counter of audit rows is missing; restore a backup");
  return {std::get<0>(last.front()), std::get<1>(last.front())};
}

Paged<AuditRow> list_audit(Tx& tx, const Page& page) {
  return page_of<AuditRow>(tx, kAudit, {}, "n", false, page);
}

}  // namespace sickbay::store
