// Gathering what cannot be seen of a cluster: from the rows that the engine writes of its adapters, and from the
// configuration, which also names those that have no row yet.
#include "api/adapter_view.hpp"

#include <algorithm>
#include <map>

#include "store/nodes.hpp"
#include "store/sync.hpp"

namespace sickbay::api {
namespace {

constexpr Duration kListed = minutes{5};  // ten complete lists: whatever the reason, what was listed then is old

std::map<std::string, std::string> configured_roles(const std::vector<config::ClusterConfig>& all,
                                                    const std::string& cluster) {
  std::map<std::string, std::string> roles;
  for (const config::ClusterConfig& known : all) {
    if (known.name != cluster) continue;
    for (const config::SchedulerConfig& scheduler : known.schedulers) roles[scheduler.name] = "scheduler";
    if (!known.provider.name.empty()) roles[known.provider.name] = "provider";
  }
  return roles;
}

resources::UnreachableAdapter never_answered(const std::string& name, const std::string& role) {
  return {name, role, std::nullopt, "it has not answered yet", std::nullopt};
}

// here: this server configures it. What it does not configure another one may have; then that one lists it.
std::optional<resources::UnreachableAdapter> unreachable(const store::Adapter& adapter, bool here, Time now) {
  if (adapter.unreachable_since) {
    return resources::UnreachableAdapter{adapter.name, adapter.role, adapter.unreachable_since, adapter.error,
                                         adapter.listed_at};
  }
  if (!adapter.listed_at) return never_answered(adapter.name, adapter.role);
  if (now - *adapter.listed_at <= kListed) return std::nullopt;
  return resources::UnreachableAdapter{
      adapter.name, adapter.role, adapter.listed_at,
      here ? "it has given no complete list since" : "it is not configured on this server", adapter.listed_at};
}

// An adapter that was renamed or taken away leaves its row behind; it concerns nobody once no node names it.
void leave_out_unused(std::vector<resources::UnreachableAdapter>& gone, store::Tx& tx, const Cluster& cluster) {
  if (gone.empty()) return;
  const std::vector<Node> nodes = store::list_nodes(tx, cluster.id);
  std::erase_if(gone, [&](const resources::UnreachableAdapter& lost) {
    return std::ranges::none_of(nodes, [&](const Node& node) {
      return node.provider == lost.adapter || std::ranges::find(node.schedulers, lost.adapter) != node.schedulers.end();
    });
  });
}

}  // namespace

std::vector<resources::UnreachableAdapter> unreachable_adapters(store::Tx& tx, const Cluster& cluster,
                                                                const Services& services) {
  std::map<std::string, std::string> unheard;  // configured, and without a row
  if (services.configured) unheard = configured_roles(services.configured(), cluster.name);
  const std::map<std::string, std::string> roles = unheard;
  const Time now = store::now(tx);
  std::vector<resources::UnreachableAdapter> all, gone;
  for (const store::Adapter& adapter : store::adapters_of(tx, cluster.id)) {
    unheard.erase(adapter.name);
    const bool here = !services.configured || roles.contains(adapter.name);
    if (auto lost = unreachable(adapter, here, now)) (here ? all : gone).push_back(std::move(*lost));
  }
  for (const auto& [name, role] : unheard) all.push_back(never_answered(name, role));
  leave_out_unused(gone, tx, cluster);
  all.insert(all.end(), gone.begin(), gone.end());
  std::ranges::sort(all, {}, &resources::UnreachableAdapter::adapter);
  return all;
}

}  // namespace sickbay::api
