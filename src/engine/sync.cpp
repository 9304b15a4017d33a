// The sync of a cluster: complete lists of its schedulers and its provider, compared with what is stored. Its turn only
// asks for them; each list is a call of its adapter, so that one that fails keeps no other from being listed. The end
// of a list is one row that says when it was asked for. Nodes are compared in sync_nodes.cpp, hosts in sync_hosts.cpp.
#include "store/sync.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/log.hpp"
#include "engine/ask.hpp"
#include "engine/engine.hpp"
#include "model/json.hpp"
#include "store/clusters.hpp"
#include "store/nodes.hpp"
#include "store/work.hpp"

namespace sickbay::engine {
namespace {

constexpr Duration kListAgain = seconds{5};  // after a list that could not be had
constexpr Duration kChangesApart = seconds{1};
// After a gap this long what was seen before proves nothing any more (decide's "fresh"), and whoever waited for that
// must look again.
constexpr Duration kGap = seconds{60};

}  // namespace

Status Engine::watch(std::string_view cluster) {
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
    const bool again = known && found != adapters->clusters.end();
    store::finish(tx, WorkKind::sync, key, again ? std::optional(store::now(tx) + options_.sync_every) : std::nullopt);
    return again;
  });
  SICKBAY_CHECK(ended);
  if (!*ended) return {};  // forgotten, or not configured here: adopting it, or a new configuration, wakes it
  const std::string cluster(key);
  for (const auto& [name, scheduler] : found->second.schedulers) {
    const AdapterKey adapter{cluster, name};
    calls_.submit({adapter, "list", false, {}}, [this, adapter] { return list_nodes(adapter); });
  }
  if (found->second.provider) {
    const AdapterKey adapter{cluster, found->second.provider_name};
    calls_.submit({adapter, "list", false, {}}, [this, adapter] { return list_hosts(adapter); });
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
  // The list as a whole is as old as its oldest view.
  Duration age{};
  for (const NodeStatus& node : *nodes) age = std::max(age, node.age);
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
  return {true, can ? "" : can.error().message};
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
    const bool gap = !adapter.listed_at || at - *adapter.listed_at > kGap;
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
    store::wake_all(tx, WorkKind::node, store::nodes_that_may_wait(tx, key.cluster, key.name), now);
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

void Engine::changed(std::string_view cluster, std::string_view node_name) {
  const std::lock_guard lock(mutex_);
  changed_.insert({std::string(cluster), std::string(node_name)});
}

Status Engine::wake_changed() {
  std::set<AdapterKey> named;
  {
    const std::lock_guard lock(mutex_);
    const Duration now = clock_.steady();
    if (changed_.empty() || (woke_changed_ && now - *woke_changed_ < kChangesApart)) return {};
    woke_changed_ = now;
    named.swap(changed_);
  }
  const Status woken = store_.write([&](store::Tx& tx) -> Status {
    const Time now = store::now(tx);
    std::vector<std::string> nodes;
    std::set<std::string> clusters;
    for (const auto& [cluster, name] : named) {
      if (const auto node = store::find_node(tx, cluster, name)) nodes.push_back(node->id);
      clusters.insert(cluster);
    }
    store::wake_all(tx, WorkKind::node, std::move(nodes), now);
    for (const std::string& cluster : clusters) {
      if (store::get_cluster(tx, cluster)) store::wake(tx, WorkKind::sync, cluster, now);
    }
    return {};
  });
  if (woken) notify();
  return woken;
}

}  // namespace sickbay::engine
