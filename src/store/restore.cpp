#include "store/restore.hpp"

#include "store/sql.hpp"

namespace sickbay::store {
namespace {

// Which PostgreSQL this is: the system, since a dump may be restored into another one; the timeline, which changes when
// a standby is promoted or a backup is recovered; the database, since one may be dropped and restored beside others.
// The WAL's name has the new timeline at once, pg_control_checkpoint() only after the next checkpoint.
constexpr std::string_view kLine =
    "(SELECT CAST(system_identifier AS text) FROM pg_control_system()) || ' timeline ' || "
    "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || ' database ' || "
    "(SELECT CAST(oid AS text) FROM pg_database WHERE datname = current_database())";
constexpr std::string_view kWhy =
    "'PostgreSQL is not the one that was here before (system ' || here.line || ', not ' || installation.line || "
    "'): a standby took over, or a backup was recovered'";

const std::string& broken_off_query() {
  static const std::string sql = fmt::format(
      "SELECT {} FROM installation, (SELECT {} AS line) AS here WHERE installation.line NOT IN ('', here.line)", kWhy,
      kLine);
  return sql;
}

// An empty line is a database that was never looked at, which is nothing to ask about.
const std::string& check_statement() {
  static const std::string sql = fmt::format(
      "UPDATE installation SET line = here.line, breaks = breaks + CASE installation.line WHEN '' THEN 0 ELSE 1 END, "
      "observe_only = CASE installation.line WHEN '' THEN observe_only ELSE COALESCE(observe_only, {}) END "
      "FROM (SELECT {} AS line) AS here WHERE installation.line <> here.line",
      kWhy, kLine);
  return sql;
}

}  // namespace

Lineage lineage(Tx& tx) {
  auto rows = select<std::string, std::uint64_t, std::uint64_t>(
      tx, "SELECT id, breaks, (SELECT CAST(SUM(value) AS bigint) FROM counter) FROM installation");
  if (rows.empty()) refuse(Errc::internal, "the table installation is empty; restore a backup");
  auto& [installation, breaks, progress] = rows.front();
  return {std::move(installation), breaks, progress};
}

void count_act(Tx& tx) {
  execute(tx, "UPDATE counter SET value = value + 1 WHERE name = 'act'");
}

std::string broken_off(Tx& tx) {
  if (tx.connection().dialect() != Dialect::postgresql) return {};
  return select_one<std::string>(tx, broken_off_query()).value_or("");
}

void check_line(Connection& connection) {
  connection.control(check_statement());
}

void break_off(Tx& tx, const std::string& why, std::uint64_t above) {
  execute(tx,
          "UPDATE installation SET observe_only = COALESCE(observe_only, ?1), "
          "breaks = 1 + CASE WHEN breaks < ?2 THEN ?2 ELSE breaks END",
          why, above);
  if (tx.connection().dialect() == Dialect::postgresql) {
    execute(tx, fmt::format("UPDATE installation SET line = {}", kLine));
  }
}

bool is_break_untold(Tx& tx) {
  return select_one<int>(tx, "SELECT one FROM installation WHERE told < breaks").has_value();
}

bool tell_break(Tx& tx) {
  return execute(tx, "UPDATE installation SET told = breaks WHERE told < breaks") > 0;
}

std::optional<std::string> observe_only_because(Tx& tx) {
  return select_one<std::optional<std::string>>(tx, "SELECT observe_only FROM installation").value_or(std::nullopt);
}

void end_observe_only(Tx& tx) {
  execute(tx, "UPDATE installation SET observe_only = NULL");
}

}  // namespace sickbay::store
