// Clusters, policy versions, nodes, hosts, sessions and observations.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/policy.hpp"
#include "model/repair.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

// One page of a list: up to `size` items after `token`; `next` is empty at the end.
struct Page {
  std::size_t size = 100;
  std::string token;
};
template <class T>
struct Paged {
  std::vector<T> items;
  std::string next;
};

std::optional<Cluster> get_cluster(Tx& tx, std::string_view id);
std::optional<Cluster> lock_cluster(Tx& tx, std::string_view id);  // FOR NO KEY UPDATE, then the row
std::vector<Cluster> list_clusters(Tx& tx);
void put_cluster(Tx& tx, const Cluster& cluster);  // inserts or replaces; so with every put_
void delete_cluster(Tx& tx, std::string_view id);  // forgets it with all that belongs to it

void add_policy(Tx& tx, const PolicyVersion& policy);  // unique (cluster, version): a race fails with Errc::changed
PolicyVersion current_policy(Tx& tx, std::string_view cluster);  // version 1 with the defaults where none was written
std::optional<PolicyVersion> get_policy(Tx& tx, std::string_view cluster, std::uint64_t version);
std::vector<PolicyVersion> list_policies(Tx& tx, std::string_view cluster);

std::optional<Node> get_node(Tx& tx, std::string_view id);
std::optional<Node> find_node(Tx& tx, std::string_view cluster, std::string_view name);
std::vector<Node> list_nodes(Tx& tx, std::string_view cluster);  // not removed ones
std::uint32_t count_nodes(Tx& tx, std::string_view cluster);     // not removed ones
void put_node(Tx& tx, const Node& node);                         // unique (cluster, name)

std::optional<Host> get_host(Tx& tx, std::string_view id);
std::vector<Host> list_hosts(Tx& tx, std::string_view cluster);
// Spares a node of this shape and pool may take: right shape, free or reserved for this pool, checked since then.
std::uint32_t count_spares(Tx& tx, std::string_view cluster, std::string_view shape, std::string_view pool,
                           Time checked_since);
void put_host(Tx& tx, const Host& host);

// Starts a session: gives it the next epoch of the installation (only ever grows) and makes it the node's newest.
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

std::vector<Observation> observations_of(Tx& tx, std::string_view node);
void put_observation(Tx& tx, const Observation& observation);

}  // namespace sickbay::store
