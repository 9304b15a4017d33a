#include "store/migrations.hpp"

#include <array>

#include "store/sql.hpp"

namespace sickbay::store {

extern const Migration kFirst;       // migrations/0001_first.cpp
extern const Migration kAdapters;    // migrations/0002_adapters.cpp
extern const Migration kLineage;     // migrations/0003_lineage.cpp
extern const Migration kFailures;    // migrations/0004_failures.cpp
extern const Migration kClockSteps;  // migrations/0005_clock_steps.cpp

std::span<const Migration> migrations() {
  static const std::array<Migration, 5> all{kFirst, kAdapters, kLineage, kFailures, kClockSteps};
  return all;
}

int schema_version() {
  return migrations().back().version;
}

namespace {

// The advisory lock's key on PostgreSQL: "sickbay" in ASCII.
constexpr std::int64_t kMigrationLock = 0x7369636b626179;

void apply(Tx& tx, const Migration& migration) {
  for (const std::string_view statement : migration.statements) {
    tx.connection().control(translate(statement, tx.connection().dialect()).sql);
  }
  execute(tx, "UPDATE schema_version SET version = ?1, oldest_reader = ?2", migration.version, migration.oldest_reader);
}

Status migrate_locked(Tx& tx, std::string_view installation) {
  Connection& connection = tx.connection();
  if (connection.dialect() == Dialect::postgresql) {
    connection.control(fmt::format("SELECT pg_advisory_xact_lock({})", kMigrationLock));
  }
  connection.control(
      "CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL, oldest_reader bigint NOT NULL)");
  const auto rows = select<int, int>(tx, "SELECT version, oldest_reader FROM schema_version");
  if (rows.empty()) execute(tx, "INSERT INTO schema_version (version, oldest_reader) VALUES (0, 0)");
  const auto [version, oldest_reader] = rows.empty() ? std::tuple{0, 0} : rows.front();
  if (oldest_reader > schema_version()) {
    return fail(Errc::refused,
                fmt::format("the database has schema version {} of a newer Sickbay and needs one that knows at least "
                            "version {}; this program knows {}: install the newer release, or restore a backup made "
                            "before the upgrade",
                            version, oldest_reader, schema_version()));
  }
  for (const Migration& migration : migrations()) {
    if (migration.version > version) apply(tx, migration);
  }
  execute(tx, "INSERT INTO installation (one, id) VALUES (1, ?1) ON CONFLICT (one) DO NOTHING", installation);
  return {};
}

}  // namespace

Status migrate(Connection& connection, std::string_view installation) {
  Tx tx(connection);
  try {
    connection.control(connection.dialect() == Dialect::sqlite ? "BEGIN IMMEDIATE" : "BEGIN");
    const Status status = migrate_locked(tx, installation);
    if (!status) {
      connection.rollback();
      return status;
    }
    connection.control("COMMIT");
    return {};
  } catch (const Failure& failure) {
    connection.rollback();
    return tl::unexpected<Error>(failure.error());
  }
}

}  // namespace sickbay::store
