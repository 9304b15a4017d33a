// The watch of a cluster: complete lists of its schedulers and its provider, compared with what is known. It adopts
// nodes and hosts, sees what changed on nodes nobody works on, and finds marks of ours that no repair owns any more.
#include <fmt/core.h>

#include <algorithm>

#include "base/log.hpp"
#include "engine/engine.hpp"
#include "engine/write.hpp"
#include "model/json.hpp"
#include "store/nodes.hpp"
#include "store/repairs.hpp"
#include "store/work.hpp"

namespace sickbay::engine {
namespace {

constexpr Duration kListTimeout = seconds{20};
constexpr Duration kListAgain = seconds{5};  // after a list that could not be had

// Many nodes gone at once is a lister's fault (engine.md 6), not that many losses.
bool too_many_gone(std::size_t gone, std::size_t known) {
  return gone > std::max<std::size_t>(3, known / 5);
}

Observation observed(const ListedNode& listed, const Node& node, std::string_view scheduler, Time now) {
  Observation next;
  next.node = node.id;
  next.scheduler = scheduler;
  next.at = now;
  next.ready = listed.ready;
  next.cordoned = listed.cordoned;
  next.hold_owner = listed.hold_owner;
  next.foreign_mark = listed.cordoned && listed.hold_owner.empty();
  next.uid = listed.uid;
  return next;
}

bool differs(const Observation& a, const Observation& b) {
  return a.exists != b.exists || a.ready != b.ready || a.cordoned != b.cordoned || a.hold_owner != b.hold_owner ||
         a.uid != b.uid || a.error != b.error;
}

// Writes an observation of a list, unless the node is being worked on: its own turns look closer and more often.
void note(store::Tx& tx, const Observation& listed, Time now) {
  if (const auto repair = store::open_repair_of(tx, listed.node); repair && repair->admitted_at) return;
  std::optional<Observation> previous;
  for (Observation& known : store::observations_of(tx, listed.node)) {
    if (known.scheduler == listed.scheduler) previous = std::move(known);
  }
  if (previous && listed.exists && !differs(*previous, listed)) return;
  store::wake(tx, "node", listed.node, now);
  store::put_observation(tx, decide::looked(previous, listed, now));
}

}  // namespace

Status Engine::watch(std::string_view cluster) {
  return store_.write([&](store::Tx& tx) -> Status {
    store::wake(tx, "watch", cluster, store::now(tx));
    store::wake(tx, "cluster", cluster, store::now(tx));
    store::wake(tx, "publish", "events", store::now(tx));
    return {};
  });
}

namespace {

struct Lists {
  std::vector<std::pair<std::string, std::vector<ListedNode>>> schedulers;  // name and its nodes
  std::vector<ListedHost> hosts;
};

// Every adapter's list, or the first error: partial knowledge is not acted on.
Result<Lists> read_lists(const World& world, const ClusterAdapters& adapters) {
  Lists lists;
  for (const std::string& name : adapters.schedulers) {
    Scheduler* scheduler = world.scheduler(name);
    if (!scheduler) return fail(Errc::invalid, fmt::format("no scheduler '{}' is configured", name));
    SICKBAY_ASSIGN(auto nodes, scheduler->list(kListTimeout));
    lists.schedulers.emplace_back(name, std::move(nodes));
  }
  if (Provider* provider = world.provider(adapters.provider)) {
    SICKBAY_ASSIGN(lists.hosts, provider->hosts(kListTimeout));
  }
  return lists;
}

void adopt_node(store::Tx& tx, const ListedNode& listed, std::string_view cluster, std::string_view scheduler,
                const ClusterAdapters& adapters, const std::string& id, Time now) {
  if (auto known = store::find_node(tx, cluster, listed.name)) {
    if (std::ranges::find(known->schedulers, scheduler) != known->schedulers.end()) return;
    known->schedulers.emplace_back(scheduler);
    store::wake(tx, "node", known->id, now);
    store::put_node(tx, *known);
    return;
  }
  Node node;
  node.id = id;
  node.cluster = cluster;
  node.pool = listed.pool;
  node.name = listed.name;
  node.schedulers = {std::string(scheduler)};
  node.provider = adapters.provider;
  node.labels = listed.labels;
  store::wake(tx, "node", node.id, now);
  store::put_node(tx, node);
}

void note_host(store::Tx& tx, const ListedHost& listed, std::string_view cluster, Time now) {
  const auto known = store::get_host(tx, listed.id);
  Host host = known.value_or(Host{});
  host.id = listed.id;
  host.cluster = cluster;
  host.shape = listed.shape;
  if (listed.checked_at && listed.checked_at > host.checked_at) host.checked_at = listed.checked_at;
  // A host that was given up stays so until its inspection, whatever the provider calls it.
  const bool ours = known && (known->state == HostState::vacated || known->state == HostState::inspecting ||
                              known->state == HostState::ticket);
  const auto node = listed.node.empty() ? std::nullopt : store::find_node(tx, cluster, listed.node);
  if (!ours) {
    host.state = listed.provider_state == "spare" ? HostState::spare : HostState::in_use;
    if (host.state == HostState::spare) host.reserved_for_pool = listed.pool;
    host.node = node ? node->id : "";
  }
  if (!known || to_json_text(*known) != to_json_text(host)) store::put_host(tx, host);
  if (node && node->host.empty() && !ours) {
    Node next = *node;
    next.host = listed.id;
    if (next.shape.gpus == 0) next.shape = listed.shape;
    store::wake(tx, "node", next.id, now);
    store::put_node(tx, next);
  }
}

}  // namespace

Status Engine::watch_turn(std::string_view key) {
  const auto adapters = world_.clusters.find(key);
  const auto again = [&](Duration after) {
    return store_.write([&](store::Tx& tx) -> Status {
      const std::uint64_t version = store::work_version(tx, "watch", key);
      if (store::still(tx, "watch", key, version)) store::finish(tx, "watch", key, store::now(tx) + after);
      return {};
    });
  };
  if (adapters == world_.clusters.end()) return again(options_.watch_every);
  const auto lists = read_lists(world_, adapters->second);
  at(Point::after_look);
  if (!lists) {
    log::warn("the nodes of cluster {} could not be listed: {}", key, lists.error().message);
    return again(std::min(options_.watch_every, kListAgain));
  }
  for (const auto& [scheduler, nodes] : lists->schedulers) {
    // One node a transaction: a list is long, and a lock on many nodes would hold up their turns.
    for (const ListedNode& listed : nodes) {
      const std::string id = ids_.next("node");
      SICKBAY_CHECK(store_.write([&](store::Tx& tx) -> Status {
        const Time now = store::now(tx);
        const auto known = store::find_node(tx, key, listed.name);
        const bool member = known && std::ranges::find(known->schedulers, scheduler) != known->schedulers.end();
        if (!member) adopt_node(tx, listed, key, scheduler, adapters->second, id, now);
        if (const auto node = store::find_node(tx, key, listed.name)) {
          note(tx, observed(listed, *node, scheduler, now), now);
        }
        return {};
      }));
    }
    SICKBAY_CHECK(note_missing(key, scheduler, nodes));
  }
  for (const ListedHost& host : lists->hosts) {
    SICKBAY_CHECK(store_.write([&](store::Tx& tx) -> Status {
      note_host(tx, host, key, store::now(tx));
      return {};
    }));
  }
  notify();
  return again(options_.watch_every);
}

Status Engine::note_missing(std::string_view cluster, std::string_view scheduler,
                            const std::vector<ListedNode>& listed) {
  const auto missing = store_.read([&](store::Tx& tx) -> Result<std::vector<Node>> {
    std::vector<Node> gone;
    std::size_t known = 0;
    for (const Node& node : store::list_nodes(tx, cluster)) {
      if (std::ranges::find(node.schedulers, scheduler) == node.schedulers.end()) continue;
      ++known;
      if (std::ranges::find(listed, node.name, &ListedNode::name) == listed.end()) gone.push_back(node);
    }
    if (too_many_gone(gone.size(), known)) {
      return fail(Errc::unavailable, fmt::format("{} of {} nodes are missing from the list of {}: not believed",
                                                 gone.size(), known, scheduler));
    }
    return gone;
  });
  if (!missing) {
    log::warn("{}", missing.error().message);
    return {};
  }
  for (const Node& node : *missing) {
    SICKBAY_CHECK(store_.write([&](store::Tx& tx) -> Status {
      Observation gone;
      gone.node = node.id;
      gone.scheduler = scheduler;
      gone.at = store::now(tx);
      gone.exists = false;
      note(tx, gone, gone.at);
      return {};
    }));
  }
  return {};
}

}  // namespace sickbay::engine
