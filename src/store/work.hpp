// The work table (engine.md 1): everything that needs attention is a row (kind, key, due, version).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "model/words.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

struct Work {
  WorkKind kind = WorkKind::node;
  std::string key;
  Time due{};
  std::uint64_t version = 0;
};

// Whoever writes a fact about a key calls this in the same transaction, unconditionally: version + 1, due = least(due,
// at). Creates the row. Keys of one transaction are touched in sorted order by the caller.
void wake(Tx& tx, WorkKind kind, std::string_view key, Time at);
// The same for many keys of one kind in one statement (sorted here).
void wake_all(Tx& tx, WorkKind kind, std::vector<std::string> keys, Time at);

// The version now; 0 when there is no row.
std::uint64_t work_version(Tx& tx, WorkKind kind, std::string_view key);
// Locks the row and says whether its version is still `version`. The first statement of every turn's transaction.
bool still(Tx& tx, WorkKind kind, std::string_view key, std::uint64_t version);
// Ends a turn: due = `due` (nothing to wait for: far away), version + 1, claim released, no failure any more. Only
// after still().
void finish(Tx& tx, WorkKind kind, std::string_view key, std::optional<Time> due);

// Ends a turn that came to nothing, since others kept changing the key.
void put_off(Tx& tx, WorkKind kind, std::string_view key, Time due);
// How often in a row the key's turn has failed.
int failures_of(Tx& tx, WorkKind kind, std::string_view key);
// Ends a turn that failed, and counts it.
void finish_failed(Tx& tx, WorkKind kind, std::string_view key, Time due, std::string_view error);

// A turn that has failed so often that people are told (engine.md 1).
struct FailingWork {
  WorkKind kind = WorkKind::node;
  std::string key, cluster, node_name;  // cluster: "" of what is of all of them
  int failures = 0;
  std::string error;
  Time due{};
};
inline constexpr int kToldFailures = 5;
// Of a cluster and of what is of all of them; the first `limit`.
std::vector<FailingWork> failing_work(Tx& tx, std::string_view cluster, std::size_t limit = 100);

// Up to `limit` rows that are due and not claimed, claimed until now + `claim`; the claim only spreads the work. On
// PostgreSQL FOR NO KEY UPDATE SKIP LOCKED.
std::vector<Work> take_due(Tx& tx, Time now, std::size_t limit, Duration claim);
// Up to `limit` rows that are due, without claiming: on SQLite, where one process has them all and a claim would cost a
// commit; the caller keeps in memory what it is turning.
std::vector<Work> list_due(Tx& tx, Time now, std::size_t limit);
// When the next row is due; absent: none.
std::optional<Time> next_due(Tx& tx);

}  // namespace sickbay::store
