// Agents' sessions, heartbeats, and who listened when.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/node.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

// Starts a session: gives it the next epoch of the installation (only ever grows), which makes it the node's newest.
// The node itself stays as it is until its turn.
std::uint64_t open_session(Tx& tx, Session session);
std::optional<Session> newest_session(Tx& tx, std::string_view node);
void put_session(Tx& tx, const Session& session);  // of its (node, epoch)
// The narrow heartbeat rows, in bulk: last seen of (node, epoch).
struct Heartbeat {
  std::string node;
  std::uint64_t epoch = 0;
  Time at{};
};
void put_heartbeats(Tx& tx, const std::vector<Heartbeat>& heartbeats);
std::optional<Time> last_heartbeat(Tx& tx, std::string_view node, std::uint64_t epoch);
// Replicas that listen: each writes its row every few seconds; the gap-free time since when someone listened.
void put_listening(Tx& tx, std::string_view replica, Time since, Time now);
std::optional<Time> listening_since(Tx& tx, Time now);  // absent: nobody wrote within 30 s

}  // namespace sickbay::store
