// Adapters, and what complete lists of their nodes are compared with. Narrow on purpose: a list of 100,000 nodes in
// which nothing changed is compared without reading one document.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/node.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

struct Adapter {
  std::string cluster, name;
  std::string role;                       // scheduler or provider
  std::string kind;                       // of a scheduler, where it says so
  std::optional<Time> unreachable_since;  // it cannot be reached since then; absent: it can, for all that is known
  std::string error;                      // ... and why
  std::string capabilities;               // what it declares, as JSON; empty: it has not said yet
  std::optional<Time> listed_at;          // when the last complete list was asked for
};
std::optional<Adapter> get_adapter(Tx& tx, std::string_view cluster, std::string_view name);
std::vector<Adapter> adapters_of(Tx& tx, std::string_view cluster);
void put_adapter(Tx& tx, const Adapter& adapter);  // of a cluster that exists

// A node of the cluster (not a removed one) as a scheduler's list is compared with it. listed: the observation's
// digest; absent: the scheduler never had the node.
struct StoredNode {
  std::string id, name, host;
  std::optional<std::string> listed;
};
std::vector<StoredNode> nodes_listed(Tx& tx, std::string_view cluster, std::string_view scheduler);
std::optional<std::string> listed(Tx& tx, std::string_view node, std::string_view scheduler);

// Sets the digests of (node, scheduler) rows, in one statement; empty: the row does not agree with the list.
struct Listed {
  std::string node, digest;
};
void set_listed(Tx& tx, std::string_view scheduler, std::vector<Listed> digests);

// When each scheduler's complete list last said of the node just what is stored of it.
std::map<std::string, Time> confirmed_by_lists(Tx& tx, std::string_view cluster, std::string_view node);

// Nodes whose next decision may hang on this adapter: under repair, with an alert, or not in service there.
std::vector<std::string> nodes_that_may_wait(Tx& tx, std::string_view cluster, std::string_view adapter);

}  // namespace sickbay::store
