// Findings: written in bulk, deduplicated by their id for ever, folded into alerts by a later turn.
#include "store/findings.hpp"

#include "store/sql.hpp"
#include "store/tables.hpp"

namespace sickbay::store {
namespace {

std::vector<StoredFinding> stored(Tx& tx, std::string_view rest, std::string_view node, std::size_t limit) {
  const std::string sql = fmt::format("SELECT id, doc, epoch, received_at FROM finding WHERE node = ?1 {}", rest);
  std::vector<StoredFinding> out;
  for (auto& [id, doc, epoch, at] : select<std::string, std::string, std::uint64_t, Time>(tx, sql, node, limit)) {
    out.push_back({parse_document<Finding>(kFinding, id, doc), epoch, at});
  }
  return out;
}

}  // namespace

std::size_t add_findings(Tx& tx, std::string_view node, std::uint64_t epoch, const std::vector<Finding>& findings,
                         Time now) {
  if (findings.empty()) return 0;
  json::array rows;
  rows.reserve(findings.size());
  // The document as a string inside the array: PostgreSQL reads every string of an object it takes apart, and refuses
  // the NULs that evidence may hold.
  for (const Finding& finding : findings) rows.push_back({{"id", finding.id}, {"doc", to_json_text(finding)}});
  return execute(tx,
                 "INSERT INTO finding (id, node, epoch, received_at, folded, doc) "
                 "SELECT e.value ->> 'id', ?1, ?2, ?3, 0, e.value ->> 'doc' FROM ROWS(?4) WHERE true "
                 "ON CONFLICT (id) DO NOTHING",
                 node, epoch, now, json::serialize(rows));
}

std::vector<StoredFinding> unfolded_findings(Tx& tx, std::string_view node, std::size_t limit) {
  return stored(tx, "AND folded = 0 ORDER BY n LIMIT ?2", node, limit);
}

void mark_folded(Tx& tx, const std::vector<std::string>& ids) {
  if (ids.empty()) return;
  execute(tx, "UPDATE finding SET folded = 1 WHERE id IN (SELECT e.value FROM EACH(?1))", json_texts(ids));
}

std::vector<StoredFinding> list_findings(Tx& tx, std::string_view node, std::size_t limit) {
  return stored(tx, "ORDER BY n DESC LIMIT ?2", node, limit);
}

}  // namespace sickbay::store
