#include "store/restore.hpp"

#include "store/sql.hpp"

namespace sickbay::store {

Lineage lineage(Tx& tx) {
  Lineage lineage;
  lineage.installation = select_one<std::string>(tx, "SELECT id FROM installation").value_or("");
  lineage.progress = select_one<std::uint64_t>(tx, "SELECT CAST(SUM(value) AS bigint) FROM counter").value_or(0);
  if (tx.connection().dialect() == Dialect::postgresql) {
    lineage.timeline =
        select_one<std::string>(tx, "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)").value_or("");
  }
  return lineage;
}

std::optional<std::string> observe_only_because(Tx& tx) {
  return select_one<std::optional<std::string>>(tx, "SELECT observe_only FROM installation").value_or(std::nullopt);
}

void set_observe_only(Tx& tx, const std::optional<std::string>& why) {
  const std::string text = why.value_or("");
  const std::array<Param, 1> params{text_or_null(text)};
  tx.connection().run("UPDATE installation SET observe_only = ?1", params, 0);
}

}  // namespace sickbay::store
