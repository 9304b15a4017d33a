// The schema as numbered migrations, one file each in store/migrations. A database knows its version and the oldest
// version of a program that may still use it, so that replicas of two versions can run side by side during an upgrade.
#pragma once

#include <span>
#include <string_view>

#include "store/connection.hpp"

namespace sickbay::store {

struct Migration {
  int version;
  int oldest_reader;  // programs older than this schema version must not use the database any more
  std::span<const std::string_view> statements;  // of the common dialect
};
std::span<const Migration> migrations();  // in order, versions 1, 2, ...
int schema_version();                     // of this program: the newest migration's

// Brings the database up to date, in one transaction under a lock that makes others wait: two servers that start
// together are fine. Errc::refused when a newer program has changed it so that this one must not use it.
// `installation`: the id a new database gets.
Status migrate(Connection& connection, std::string_view installation);

}  // namespace sickbay::store
