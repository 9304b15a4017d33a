#include "store/failure.hpp"

#include <fmt/core.h>
#include <sqlite3.h>

#include <array>
#include <string_view>

namespace sickbay::store {
namespace {

// The constraints that a caller can run into in normal life. SQLite names the columns, PostgreSQL the index; callers
// see the index's name on both, and a sentence. `changed` ones are races: who reads again sees what the other wrote.
struct Constraint {
  std::string_view name, columns;
  Errc code;
  std::string_view sentence;
};
constexpr std::array<Constraint, 7> kConstraints{{
    {"repair_one_open_per_node", "repair.node", Errc::conflict, "the node has an open repair already"},
    {"repair_one_per_request", "repair.cluster, repair.request_id", Errc::conflict,
     "a repair for this request exists already"},
    {"operation_one_open_per_node", "operation.node", Errc::conflict,
     "the node has an action in progress that is not concluded"},
    {"operation_one_open_per_host", "operation.host", Errc::changed,
     "another node on the same host has an action in progress that is not concluded"},
    {"node_one_per_name", "node.cluster, node.name", Errc::conflict, "the cluster has a node of this name already"},
    {"policy_pkey", "policy.cluster, policy.version", Errc::changed,
     "the policy was changed meanwhile; read it again and apply your change to it"},
    {"answered_pkey", "answered.scope, answered.id", Errc::changed,
     "the same request was answered meanwhile; read the answer"},
}};

Failure violation(const std::string& message, bool by_columns) {
  for (const Constraint& known : kConstraints) {
    const std::string needle = by_columns ? fmt::format("failed: {}", known.columns) : std::string(known.name);
    const auto at = message.find(needle);
    if (at == std::string::npos) continue;
    if (by_columns && at + needle.size() < message.size() && message[at + needle.size()] == ',') continue;
    return {Remedy::final, {known.code, std::string(known.sentence), std::string(known.name)}};
  }
  return {Remedy::final, {Errc::conflict, fmt::format("the database refused it as a duplicate: {}", message)}};
}

}  // namespace

void refuse(Errc code, std::string message, std::string field) {
  throw Failure(Remedy::final, {code, std::move(message), std::move(field)});
}

Failure of_sqlite(int extended, const std::string& message) {
  switch (extended) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      return violation(message, true);
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return {Remedy::final, {Errc::not_found, "something this belongs to does not exist (any more): " + message}};
    default:
      break;
  }
  switch (extended & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Remedy::again, {Errc::unavailable, "the database is locked by another process; try again"}};
    case SQLITE_FULL:
      return {Remedy::final, {Errc::unavailable, "the disk under the database is full; free some space"}};
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return {Remedy::final, {Errc::unavailable, "the database's file cannot be read or written: " + message}};
    case SQLITE_READONLY:
      return {Remedy::final, {Errc::unavailable, "the database's file takes no writes: " + message}};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {Remedy::final, {Errc::internal, "the database's file is damaged; restore a backup: " + message}};
    case SQLITE_TOOBIG:
      return {Remedy::final, {Errc::too_large, "too large for the database: " + message}};
    default:
      return {Remedy::final, {Errc::internal, "the database failed: " + message}};
  }
}

// SQLSTATEs: PostgreSQL's documentation, appendix A.
Failure of_postgresql(const std::string& sqlstate, bool connected, const std::string& message) {
  const std::string_view kind = std::string_view(sqlstate).substr(0, 2);
  if (sqlstate == "23505") return violation(message, false);
  if (sqlstate == "23503") {
    return {Remedy::final, {Errc::not_found, "something this belongs to does not exist (any more): " + message}};
  }
  if (sqlstate == "40001" || sqlstate == "40P01") {
    return {Remedy::again, {Errc::unavailable, "too many transactions changed the same rows at once; try again"}};
  }
  if (sqlstate == "55P03") {
    return {Remedy::again, {Errc::timeout, "a row stayed locked by another transaction for too long; try again"}};
  }
  if (sqlstate == "57014") return {Remedy::final, {Errc::timeout, "the database took too long: " + message}};
  // 57P0x: shut down or starting; 08: connection; 53: out of resources; 25P03: idle in transaction too long;
  // 25006: the server became a read-only standby; 0A000: a plan prepared before a migration.
  const bool down = kind == "08" || kind == "53" || sqlstate.starts_with("57P") || sqlstate == "25P03" ||
                    sqlstate == "25006" || sqlstate == "0A000";
  if (!connected || down) return {Remedy::lost, {Errc::unavailable, "the database is not reachable: " + message}};
  if (kind == "22") return {Remedy::final, {Errc::invalid, "the database cannot hold this value: " + message}};
  if (kind == "54") return {Remedy::final, {Errc::too_large, "too large for the database: " + message}};
  return {Remedy::final, {Errc::internal, "the database failed: " + message}};
}

}  // namespace sickbay::store
