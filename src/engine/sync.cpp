// The sync of a cluster: complete lists of its schedulers and its provider, compared with what is stored. Its turn only
// asks for them; each list is a call of its adapter, so that one that fails keeps no other from being listed. The end
// of a list is one row that says when it was asked for. Nodes are compared in sync_nodes.cpp, hosts in sync_hosts.cpp.
#include "store/sync.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "base/log.hpp"
#include "decide/windows.hpp"
#include "engine/ask.hpp"
#include "engine/engine.hpp"
#include "model/json.hpp"
#include "store/clusters.hpp"
#include "store/nodes.hpp"
#include "store/work.hpp"

namespace sickbay::engine {
namespace {

constexpr Duration kListAgain = seconds{5};  // after a list that could not be had
constexpr Duration kElsewhere = seconds{10};
constexpr std::size_t kToldAtOnce = 50;

}  // namespace

Status Engine::start_sync(std::string_view cluster) {
  calls_.forget(cluster);
  return store_.write([&](store::Tx& tx) -> Status {
    store::wake(tx, WorkKind::sync, cluster, store::now(tx));
    store::wake(tx, WorkKind::cluster, cluster, store::now(tx));
    store::wake(tx, WorkKind::publish, "events", store::now(tx));
    return {};
  });
}

Status Engine::sync_turn(std::string_view key) {
  const auto adapters = adapters_.get();
  const auto found = adapters->clusters.find(key);
  const auto ended = store_.write([&](store::Tx& tx) -> Result<bool> {
    const bool known = store::get_cluster(tx, key).has_value();
    const std::uint64_t version = store::work_version(tx, WorkKind::sync, key);
    if (!store::still(tx, WorkKind::sync, key, version)) return fail(Errc::changed, "it was woken");
    const bool here = found != adapters->clusters.end();
    const Duration after = here ? options_.sync_every : std::min(options_.sync_every, kElsewhere);
    // Forgotten: adopting it again wakes it. Not configured here: it may be at another replica.
    store::finish(tx, WorkKind::sync, key, known ? std::optional(store::now(tx) + after) : std::nullopt);
    return known && here;
  });
  SICKBAY_CHECK(ended);
  if (!*ended) return {};
  const std::string cluster(key);
  SICKBAY_CHECK(note_configured(cluster, found->second));
  for (const auto& [name, scheduler] : found->second.schedulers) {
    const AdapterKey adapter{cluster, name};
    calls_.submit({adapter, "list", Asks::list, {}}, [this, adapter] { return list_nodes(adapter); });
  }
  if (found->second.provider) {
    const AdapterKey adapter{cluster, found->second.provider_name};
    calls_.submit({adapter, "list", Asks::list, {}}, [this, adapter] { return list_hosts(adapter); });
  }
  return {};
}

Told Engine::list_nodes(const AdapterKey& adapter) {
  const auto adapters = adapters_.get();
  Scheduler* scheduler = adapters->scheduler(adapter.cluster, adapter.name);
  const auto began = store_.now();
  if (!scheduler || !began) return {};
  const auto nodes = ask::list(*scheduler, options_.list_timeout);
  at(Point::after_look);
  if (!nodes) return list_failed(adapter, nodes.error().message);
  // The list as a whole is as old as its oldest view; a view that is older than any should be stands for itself only.
  Duration age{};
  for (const NodeStatus& node : *nodes) {
    if (node.age <= kOldestListed) age = std::max(age, node.age);
  }
  const Time at_list = *began - age;
  Status synced = sync_nodes(adapter, *nodes, at_list);
  if (synced) synced = end_sync(adapter, "scheduler", at_list, to_json_text(scheduler->capabilities()));
  if (!synced) log::error("the list of {} could not be written: {}", adapter.name, synced.error().message);
  return {true, ""};
}

Told Engine::list_hosts(const AdapterKey& adapter) {
  const auto adapters = adapters_.get();
  Provider* provider = adapters->provider(adapter.cluster, adapter.name);
  const auto began = store_.now();
  if (!provider || !began) return {};
  const auto can = ask::capabilities(*provider, options_.look_timeout);
  const auto hosts = ask::hosts(*provider, options_.list_timeout);
  at(Point::after_look);
  if (!hosts) return list_failed(adapter, hosts.error().message);
  Status synced = sync_hosts(adapter.cluster, *hosts);
  if (synced) synced = end_sync(adapter, "provider", *began, can ? to_json_text(*can) : "");
  if (!synced) log::error("the list of {} could not be written: {}", adapter.name, synced.error().message);
  if (!can)
    log::warn("{} of cluster {} does not say what it can do: {}", adapter.name, adapter.cluster, can.error().message);
  return {true, ""};
}

// The cluster's sync comes again sooner, or when the adapter is to be probed.
Told Engine::list_failed(const AdapterKey& adapter, const std::string& error) {
  log::warn("{} of cluster {} could not be listed: {}", adapter.name, adapter.cluster, error);
  const Duration soon = std::min(options_.sync_every, kListAgain);
  const Duration after = std::max(calls_.probe_in(adapter), soon);
  const Status woken = store_.write([&](store::Tx& tx) -> Status {
    if (store::get_cluster(tx, adapter.cluster)) {
      store::wake(tx, WorkKind::sync, adapter.cluster, store::now(tx) + after);
    }
    return {};
  });
  if (!woken) log::error("the sync of {} could not be woken: {}", adapter.cluster, woken.error().message);
  return {true, error};
}

Status Engine::end_sync(const AdapterKey& key, std::string_view role, Time at, const std::string& capabilities) {
  bool news = false;
  const Status written = store_.write([&](store::Tx& tx) -> Status {
    news = false;
    if (!store::get_cluster(tx, key.cluster)) return {};  // forgotten meanwhile
    store::Adapter adapter = store::get_adapter(tx, key.cluster, key.name).value_or(store::Adapter{});
    const bool gap =
        !adapter.listed_at || at - *adapter.listed_at > decide::kFresh;  // what was seen proves nothing any more
    const bool can_more = !capabilities.empty() && capabilities != adapter.capabilities;
    news = gap || can_more || adapter.unreachable_since;
    if (adapter.listed_at && *adapter.listed_at > at) return {};  // another replica's newer list
    adapter.cluster = key.cluster;
    adapter.name = key.name;
    adapter.role = role;
    adapter.unreachable_since.reset();
    adapter.error.clear();
    if (!capabilities.empty()) adapter.capabilities = capabilities;
    adapter.listed_at = at;
    // Nodes before the adapter's row: the order in which a lost adapter's wake-up takes them.
    if (news)
      store::wake_all(tx, WorkKind::node, store::nodes_that_may_wait(tx, key.cluster, key.name), store::now(tx));
    store::put_adapter(tx, adapter);
    return {};
  });
  if (written && news) notify();
  return written;
}

// Written once at each change, so that every replica can say it; who waits for the adapter is woken, to say so or to go
// on.
void Engine::note_reach(const AdapterKey& key, Reach::News news, Duration since, const std::string& error) {
  if (news == Reach::News::doubted) {  // whether it is lost a list shows
    const Status woken = store_.write([&](store::Tx& tx) -> Status {
      if (store::get_cluster(tx, key.cluster)) store::wake(tx, WorkKind::sync, key.cluster, store::now(tx));
      return {};
    });
    if (!woken) log::error("the sync of {} could not be woken: {}", key.cluster, woken.error().message);
    return notify();
  }
  const bool lost = news == Reach::News::lost;
  if (lost) {
    log::warn("{} of cluster {} cannot be reached: {}", key.name, key.cluster, error);
  } else {
    log::info("{} of cluster {} can be reached again", key.name, key.cluster);
  }
  const Duration ago = clock_.steady() - since;
  const auto adapters = adapters_.get();
  const bool provides = adapters->provider(key.cluster, key.name) != nullptr;
  const Status written = store_.write([&](store::Tx& tx) -> Status {
    if (!store::get_cluster(tx, key.cluster)) return {};
    const Time now = store::now(tx);
    std::vector<std::string> waiting = store::nodes_that_may_wait(tx, key.cluster, key.name);
    std::ranges::sort(waiting);  // the order in which locks are taken
    // They go on at once when it is back; that it is lost they say one after another, and hold up nobody else's turn.
    const std::size_t at_once = lost ? kToldAtOnce : std::max<std::size_t>(waiting.size(), 1);
    for (std::size_t from = 0; from < waiting.size(); from += at_once) {
      const auto part = std::span(waiting).subspan(from, std::min(at_once, waiting.size() - from));
      store::wake_all(tx, WorkKind::node, {part.begin(), part.end()}, now + seconds{1} * (from / at_once));
    }
    store::Adapter adapter = store::get_adapter(tx, key.cluster, key.name).value_or(store::Adapter{});
    adapter.cluster = key.cluster;
    adapter.name = key.name;
    adapter.role = provides ? "provider" : "scheduler";
    adapter.unreachable_since = lost ? std::optional(now - ago) : std::nullopt;
    adapter.error = lost ? error : "";
    store::put_adapter(tx, adapter);
    if (!lost) store::wake(tx, WorkKind::sync, key.cluster, now);
    return {};
  });
  if (!written) log::error("that {} was lost or came back could not be written: {}", key.name, written.error().message);
  notify();
}

// Once for each configuration of the cluster: its nodes keep their provider's name.
Status Engine::note_configured(const std::string& cluster, const ClusterAdapters& adapters) {
  std::set<std::string> names;
  for (const auto& [name, scheduler] : adapters.schedulers) names.insert(name);
  const auto configured = std::pair(adapters.provider_name, names);
  {
    const std::lock_guard lock(mutex_);
    const auto noted = noted_.find(cluster);
    if (noted != noted_.end() && noted->second == configured) return {};
  }
  std::map<std::string, std::size_t> lost;  // schedulers that are not configured any more, and how many nodes have them
  SICKBAY_ASSIGN(const auto others, store_.read([&](store::Tx& tx) -> Result<std::vector<std::string>> {
    std::vector<std::string> found;
    lost.clear();
    for (const Node& node : store::list_nodes(tx, cluster)) {
      if (node.provider != adapters.provider_name) found.push_back(node.id);
      for (const std::string& name : node.schedulers) {
        if (!names.contains(name)) ++lost[name];
      }
    }
    std::ranges::sort(found);  // the order in which locks are taken
    return found;
  }));
  for (const auto& [name, count] : lost) {
    log::warn(
        "cluster {}: {} nodes are in scheduler '{}', which is not configured (any more): whether they are idle "
        "there cannot be known, so nothing is done to them. Configure it again under this name",
        cluster, count, name);
  }
  for (std::size_t from = 0; from < others.size(); from += options_.sync_batch) {
    const std::span<const std::string> batch(others.data() + from, std::min(options_.sync_batch, others.size() - from));
    SICKBAY_CHECK(store_.write([&](store::Tx& tx) -> Status {
      store::wake_all(tx, WorkKind::node, {batch.begin(), batch.end()}, store::now(tx));
      for (const std::string& id : batch) {
        auto node = store::get_node(tx, id);
        if (!node) continue;
        node->provider = adapters.provider_name;
        store::put_node(tx, *node);
      }
      return {};
    }));
  }
  const std::lock_guard lock(mutex_);
  noted_[cluster] = configured;
  return {};
}

}  // namespace sickbay::engine
