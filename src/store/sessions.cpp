// Agents' sessions, heartbeats, and who listened when.
#include "store/sessions.hpp"

#include <algorithm>
#include <map>

#include "store/nodes.hpp"
#include "store/sql.hpp"
#include "store/tables.hpp"

namespace sickbay::store {
namespace {

// A replica that has not written its row for this long is not listening (sessions.hpp).
constexpr Duration kListens = seconds{30};
// Rows of replicas long gone do not matter to "since when without a gap" and go.
constexpr Duration kForgetListener = hours{24};

void write_session(Tx& tx, const Session& session) {
  put(tx, kSession, session,
      {{"node", param(session.node)}, {"epoch", param(session.epoch)}, {"hello_at", param(session.hello_at)}});
}

}  // namespace

std::uint64_t open_session(Tx& tx, Session session) {
  // The node's lock first: of two starts at once the one with the greater epoch is also the later one.
  const auto node = document<Node>(tx, kNode, "WHERE id = ?1 FOR NO KEY UPDATE", session.node);
  if (!node) refuse(Errc::not_found, fmt::format("there is no node '{}'", session.node));
  session.epoch =
      select_one<std::uint64_t>(tx, "UPDATE counter SET value = value + 1 WHERE name = 'epoch' RETURNING value")
          .value_or(0);
  if (session.epoch == 0) refuse(Errc::internal, "the counter of sessions is missing; restore a backup");
  write_session(tx, session);
  put_heartbeats(tx, {{session.node, session.epoch, session.hello_at}});
  return session.epoch;
}

std::optional<Session> newest_session(Tx& tx, std::string_view node) {
  return document<Session>(tx, kSession, "WHERE node = ?1 ORDER BY epoch DESC LIMIT 1", node);
}

void put_session(Tx& tx, const Session& session) {
  write_session(tx, session);
}

void put_heartbeats(Tx& tx, const std::vector<Heartbeat>& heartbeats) {
  if (heartbeats.empty()) return;
  // One row a node, sorted: a statement must not touch a row twice, and locks are taken in order.
  std::map<std::string_view, Heartbeat> newest;
  for (const Heartbeat& heartbeat : heartbeats) {
    Heartbeat& kept = newest.try_emplace(heartbeat.node, heartbeat).first->second;
    if (std::tie(kept.epoch, kept.at) < std::tie(heartbeat.epoch, heartbeat.at)) kept = heartbeat;
  }
  json::array rows;
  for (const auto& [node, heartbeat] : newest) {
    rows.push_back({{"node", node}, {"epoch", heartbeat.epoch}, {"at", to_micros(heartbeat.at)}});
  }
  execute(tx,
          "INSERT INTO heartbeat (node, epoch, at) SELECT e.value ->> 'node', CAST(e.value ->> 'epoch' AS bigint), "
          "CAST(e.value ->> 'at' AS bigint) FROM ROWS(?1) WHERE true "
          "ON CONFLICT (node) DO UPDATE SET epoch = excluded.epoch, at = excluded.at "
          "WHERE (excluded.epoch, excluded.at) > (heartbeat.epoch, heartbeat.at)",
          json::serialize(rows));
}

std::optional<Time> last_heartbeat(Tx& tx, std::string_view node, std::uint64_t epoch) {
  return select_one<Time>(tx, "SELECT at FROM heartbeat WHERE node = ?1 AND epoch = ?2", node, epoch);
}

void put_listening(Tx& tx, std::string_view replica, Time since, Time now) {
  execute(tx,
          "INSERT INTO listening (replica, since, at) VALUES (?1, ?2, ?3) "
          "ON CONFLICT (replica) DO UPDATE SET since = excluded.since, at = excluded.at",
          replica, since, now);
  execute(tx, "DELETE FROM listening WHERE at < ?1", now - kForgetListener);
}

std::optional<Time> listening_since(Tx& tx, Time now) {
  auto rows = select<Time, Time>(tx, "SELECT since, at FROM listening ORDER BY at DESC, since");
  std::optional<Time> since;
  // Newest first: each row that reaches the time covered so far extends it into the past.
  for (const auto& [from, until] : rows) {
    if (until + kListens < since.value_or(now)) break;
    since = std::min(since.value_or(from), from);
  }
  return since;
}

}  // namespace sickbay::store
