// A provider's list of hosts against what is stored: one read finds what differs, only that is written.
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "base/log.hpp"
#include "decide/same.hpp"
#include "engine/engine.hpp"
#include "store/clusters.hpp"
#include "store/hosts.hpp"
#include "store/nodes.hpp"
#include "store/sync.hpp"
#include "store/work.hpp"

namespace sickbay::engine {
namespace {

// A host that was given up stays so until its inspection, whatever the provider calls it.
bool is_given_up(const Host& host) {
  return host.state == HostState::vacated || host.state == HostState::inspecting || host.state == HostState::ticket;
}

// The host as it is to be stored. `node`: the id of the node the list has on it; empty: none that is known.
Host as_listed(const std::optional<Host>& known, const ListedHost& listed, std::string_view cluster,
               const std::string& node) {
  Host host = known.value_or(Host{});
  host.id = listed.id;
  host.cluster = cluster;
  host.shape = listed.shape;
  const bool given_up = known && is_given_up(*known);
  if (!given_up) host.state = listed.state == HostState::spare ? HostState::spare : HostState::in_use;
  // Of a host that nobody may take it says nothing, and a provider that checks its hosts all day need not be heard.
  const bool counts = host.state == HostState::spare || !known;
  if (counts && listed.checked_at && listed.checked_at > host.checked_at) host.checked_at = listed.checked_at;
  if (given_up) return host;
  if (host.state == HostState::spare) host.reserved_for_pool = listed.pool;
  host.node = node;
  return host;
}

// A host is one machine, by its serial: what another cluster's provider lists stays that cluster's, but for what
// nodes are on it, so that no two of them act on it at once.
bool is_foreign(const std::optional<Host>& known, std::string_view cluster) {
  return known && known->cluster != cluster;
}

void write_host(store::Tx& tx, const ListedHost& listed, std::string_view cluster) {
  const auto known = store::get_host(tx, listed.id);
  std::vector<Node> nodes;
  for (const std::string& name : listed.nodes) {
    if (auto node = store::find_node(tx, cluster, name)) nodes.push_back(std::move(*node));
  }
  const Host host = as_listed(known, listed, cluster, nodes.empty() ? "" : nodes.front().id);
  if (!is_foreign(known, cluster) && (!known || !decide::same(*known, host))) store::put_host(tx, host);
  if (known && is_given_up(*known)) return;
  for (Node& node : nodes) {
    if (!node.host.empty()) continue;
    node.host = listed.id;
    if (node.shape.gpus == 0) node.shape = listed.shape;
    store::put_node(tx, node);
  }
}

}  // namespace

Status Engine::sync_hosts(std::string_view cluster, const std::vector<ListedHost>& hosts) {
  struct Differing {
    const ListedHost* listed;
    std::vector<std::string> nodes;  // whose turns may write this host too
  };
  std::size_t foreign = 0;
  std::string example;
  const auto differing = store_.read([&](store::Tx& tx) -> Result<std::vector<Differing>> {
    std::vector<Differing> found;
    foreign = 0;
    std::unordered_map<std::string, store::StoredNode> by_name;
    for (store::StoredNode& node : store::nodes_listed(tx, cluster, "")) by_name[node.name] = std::move(node);
    std::unordered_map<std::string, Host> known;
    for (Host& host : store::list_hosts(tx, cluster)) known[host.id] = std::move(host);
    for (const ListedHost& listed : hosts) {
      const auto stored = known.find(listed.id);
      std::vector<std::string> on_it;
      bool all_have_one = true;
      for (const std::string& name : listed.nodes) {
        const auto node = by_name.find(name);
        if (node == by_name.end()) continue;
        on_it.push_back(node->second.id);
        all_have_one = all_have_one && !node->second.host.empty();
      }
      if (stored != known.end() && is_given_up(stored->second)) all_have_one = true;  // nobody is put on it
      const auto before = stored == known.end() ? store::get_host(tx, listed.id) : std::optional(stored->second);
      const std::string first = on_it.empty() ? "" : on_it.front();
      if (is_foreign(before, cluster)) {
        if (foreign++ == 0) example = fmt::format("{} of cluster {}", before->id, before->cluster);
        if (all_have_one) continue;
      } else if (all_have_one && before && decide::same(*before, as_listed(before, listed, cluster, first))) {
        continue;
      }
      Differing& one = found.emplace_back(Differing{&listed, std::move(on_it)});
      if (before && !before->node.empty()) one.nodes.push_back(before->node);
    }
    return found;
  });
  SICKBAY_CHECK(differing);
  if (foreign > 0) {
    log::warn(
        "the provider of cluster {} lists {} hosts that another cluster's lists too (the first: {}): they stay "
        "that cluster's, so give each machine a serial of its own or to one cluster",
        cluster, foreign, example);
  }
  for (std::size_t from = 0; from < differing->size(); from += options_.sync_batch) {
    const std::size_t to = std::min(from + options_.sync_batch, differing->size());
    SICKBAY_CHECK(store_.write([&](store::Tx& tx) -> Status {
      if (!store::get_cluster(tx, cluster)) return {};
      std::vector<std::string> nodes;
      for (std::size_t i = from; i < to; ++i) {
        nodes.insert(nodes.end(), (*differing)[i].nodes.begin(), (*differing)[i].nodes.end());
      }
      store::wake_all(tx, WorkKind::node, std::move(nodes),
                      store::now(tx));  // first: serial with the turns that vacate hosts
      for (std::size_t i = from; i < to; ++i) write_host(tx, *(*differing)[i].listed, cluster);
      return {};
    }));
  }
  if (!differing->empty()) notify();
  return {};
}

}  // namespace sickbay::engine
