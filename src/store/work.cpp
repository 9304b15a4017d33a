#include "store/work.hpp"

#include <algorithm>
#include <limits>

#include "store/sql.hpp"

namespace sickbay::store {
namespace {

// A row without anything to wait for: due at the end of time.
constexpr Time kNever = from_micros(std::numeric_limits<std::int64_t>::max());
// How far next_due looks past rows that are claimed; polling is the truth beyond.
constexpr int kLookAhead = 200;

// Work of a kind that only another version knows is left to that one.
void add(std::vector<Work>& out, std::string_view kind, std::string key, Time due, std::uint64_t version) {
  WorkKind known{};
  if (value_of(kind, known)) out.push_back({known, std::move(key), due, version});
}

}  // namespace

void wake(Tx& tx, WorkKind kind, std::string_view key, Time at) {
  execute(tx,
          "INSERT INTO work (kind, key, due, version, claimed_until) VALUES (?1, ?2, ?3, 1, 0) "
          "ON CONFLICT (kind, key) DO UPDATE SET version = work.version + 1, due = LEAST(work.due, excluded.due)",
          name_of(kind), key, at);
}

void wake_all(Tx& tx, WorkKind kind, std::vector<std::string> keys, Time at) {
  if (keys.empty()) return;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  // The rows come in the array's order, so locks are taken in sorted order.
  execute(tx,
          "INSERT INTO work (kind, key, due, version, claimed_until) SELECT ?1, e.value, ?2, 1, 0 FROM EACH(?3) "
          "WHERE true "
          "ON CONFLICT (kind, key) DO UPDATE SET version = work.version + 1, due = LEAST(work.due, excluded.due)",
          name_of(kind), at, json_texts(keys));
}

std::uint64_t work_version(Tx& tx, WorkKind kind, std::string_view key) {
  return select_one<std::uint64_t>(tx, "SELECT version FROM work WHERE kind = ?1 AND key = ?2", name_of(kind), key)
      .value_or(0);
}

bool still(Tx& tx, WorkKind kind, std::string_view key, std::uint64_t version) {
  // Without a row there is nothing to lock, and two replicas would both go on.
  if (version == 0) {
    execute(tx,
            "INSERT INTO work (kind, key, due, version, claimed_until) VALUES (?1, ?2, ?3, 0, 0) "
            "ON CONFLICT (kind, key) DO NOTHING",
            name_of(kind), key, kNever);
  }
  const auto found = select_one<std::uint64_t>(
      tx, "SELECT version FROM work WHERE kind = ?1 AND key = ?2 FOR NO KEY UPDATE", name_of(kind), key);
  return found == version;
}

void finish(Tx& tx, WorkKind kind, std::string_view key, std::optional<Time> due) {
  execute(tx,
          "UPDATE work SET due = ?3, version = version + 1, claimed_until = 0, failures = 0, error = '' "
          "WHERE kind = ?1 AND key = ?2",
          name_of(kind), key, due.value_or(kNever));
}

void put_off(Tx& tx, WorkKind kind, std::string_view key, Time due) {
  execute(tx, "UPDATE work SET due = ?3, version = version + 1, claimed_until = 0 WHERE kind = ?1 AND key = ?2",
          name_of(kind), key, due);
}

int failures_of(Tx& tx, WorkKind kind, std::string_view key) {
  return select_one<int>(tx, "SELECT failures FROM work WHERE kind = ?1 AND key = ?2", name_of(kind), key).value_or(0);
}

void finish_failed(Tx& tx, WorkKind kind, std::string_view key, Time due, std::string_view error) {
  execute(tx,
          "UPDATE work SET due = ?3, version = version + 1, claimed_until = 0, failures = failures + 1, error = ?4 "
          "WHERE kind = ?1 AND key = ?2",
          name_of(kind), key, due, error);
}

std::vector<FailingWork> failing_work(Tx& tx, std::string_view cluster, std::size_t limit) {
  std::vector<FailingWork> out;
  for (auto& [kind, key, of, name, failures, error, due] :
       select<std::string, std::string, std::string, std::string, int, std::string, Time>(
           tx,
           "SELECT kind, key, of, name, failures, error, due FROM (SELECT work.kind, work.key, "
           "CASE work.kind WHEN 'node' THEN node.cluster WHEN 'publish' THEN '' ELSE work.key END AS of, node.name, "
           "work.failures, work.error, work.due FROM work LEFT JOIN node ON work.kind = 'node' AND node.id = work.key "
           "WHERE work.failures >= 5) AS failing WHERE of IN ('', ?1) ORDER BY kind, name, key LIMIT ?2",
           cluster, limit)) {
    FailingWork failing{
        WorkKind::node, std::move(key), std::move(of), std::move(name), failures, std::move(error), due};
    if (value_of(kind, failing.kind)) out.push_back(std::move(failing));
  }
  return out;
}

std::vector<Work> take_due(Tx& tx, Time now, std::size_t limit, Duration claim) {
  auto rows = select<std::string, std::string, Time, std::uint64_t>(
      tx,
      "UPDATE work SET claimed_until = ?3 FROM (SELECT kind, key FROM work WHERE due <= ?1 AND claimed_until <= ?1 "
      "ORDER BY due, kind, key LIMIT ?2 FOR NO KEY UPDATE SKIP LOCKED) AS taken "
      "WHERE work.kind = taken.kind AND work.key = taken.key RETURNING work.kind, work.key, work.due, work.version",
      now, limit, now + claim);
  std::vector<Work> out;
  for (auto& [kind, key, due, version] : rows) add(out, kind, std::move(key), due, version);
  std::sort(out.begin(), out.end(), [](const Work& a, const Work& b) {
    return std::tie(a.due, a.kind, a.key) < std::tie(b.due, b.kind, b.key);
  });
  return out;
}

std::vector<Work> list_due(Tx& tx, Time now, std::size_t limit) {
  std::vector<Work> out;
  for (auto& [kind, key, due, version] : select<std::string, std::string, Time, std::uint64_t>(
           tx, "SELECT kind, key, due, version FROM work WHERE due <= ?1 ORDER BY due, kind, key LIMIT ?2", now,
           limit)) {
    add(out, kind, std::move(key), due, version);
  }
  return out;
}

std::optional<Time> next_due(Tx& tx) {
  const auto due = select_one<std::optional<Time>>(
      tx,
      "SELECT MIN(at) FROM (SELECT GREATEST(due, claimed_until) AS at FROM work WHERE due < ?1 "
      "ORDER BY due, kind, key LIMIT ?2) AS next",
      kNever, kLookAhead);
  return due.value_or(std::nullopt);
}

}  // namespace sickbay::store
