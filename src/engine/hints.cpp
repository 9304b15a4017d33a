// What schedulers say of themselves between lists: that something changed at a node. It is only a reason to look
// sooner; lists and looks are the truth.
#include "engine/engine.hpp"
#include "store/clusters.hpp"
#include "store/nodes.hpp"
#include "store/work.hpp"

namespace sickbay::engine {
namespace {

constexpr Duration kChangesApart = seconds{1}, kHintedListsApart = seconds{10};
constexpr std::size_t kManyChanged = 1000;  // from here on a list is cheaper

}  // namespace

void Engine::changed(std::string_view cluster, std::string_view node_name) {
  const std::lock_guard lock(mutex_);
  const bool many = changed_.size() >= kManyChanged;
  changed_.insert({std::string(cluster), many ? "" : std::string(node_name)});
}

// A node that is known is looked at; for one that is not, or for many, the cluster is listed, not too often. What
// cannot be asked now stays for the next time.
Status Engine::wake_changed() {
  std::set<AdapterKey> named, left;
  const Duration now = clock_.steady();
  {
    const std::lock_guard lock(mutex_);
    if (changed_.empty() || (woke_changed_ && now - *woke_changed_ < kChangesApart)) return {};
    woke_changed_ = now;
    named.swap(changed_);
  }
  SICKBAY_ASSIGN(const auto nodes, store_.read([&](store::Tx& tx) -> Result<std::vector<Node>> {
    std::vector<Node> found;
    for (const auto& [cluster, name] : named) {
      if (auto node = name.empty() ? std::nullopt : store::find_node(tx, cluster, name)) {
        found.push_back(std::move(*node));
      }
    }
    return found;
  }));
  std::set<AdapterKey> unknown = named;
  for (const Node& node : nodes) {
    unknown.erase({node.cluster, node.name});
    for (const std::string& scheduler : node.schedulers) {
      const bool asked = calls_.submit({{node.cluster, scheduler}, node.id, Asks::look, kChangesApart},
                                       [this, node, scheduler] { return look_at_node(node, scheduler); });
      if (!asked) left.insert({node.cluster, node.name});
    }
  }
  std::set<std::string> clusters;
  for (const auto& [cluster, name] : unknown) {
    const auto last = hinted_.find(cluster);
    const bool soon = last != hinted_.end() && now - last->second < kHintedListsApart;
    if (soon) left.insert({cluster, ""});
    if (!soon) clusters.insert(cluster);
  }
  for (const std::string& cluster : clusters) hinted_[cluster] = now;
  const Status woken = clusters.empty() ? Status{} : store_.write([&](store::Tx& tx) -> Status {
    for (const std::string& cluster : clusters) {
      if (store::get_cluster(tx, cluster)) store::wake(tx, WorkKind::sync, cluster, store::now(tx));
    }
    return {};
  });
  const std::lock_guard lock(mutex_);
  changed_.insert(left.begin(), left.end());
  if (woken) work_notified_ = true;
  wake_.notify_all();
  return woken;
}

}  // namespace sickbay::engine
