// The adapters by which each cluster is reached. A name is unique within its cluster only, so whoever looks for an
// adapter says the cluster too. A set of adapters never changes; a new one takes its place (a new configuration).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ports/provider.hpp"
#include "ports/scheduler.hpp"

namespace sickbay::engine {

struct ClusterAdapters {
  // In the order of the configuration: labels and the pool of a node are those of its first one.
  std::vector<std::pair<std::string, std::unique_ptr<Scheduler>>> schedulers;
  std::string provider_name;
  std::unique_ptr<Provider> provider;

  void add(std::string name, std::unique_ptr<Scheduler> scheduler) {
    schedulers.emplace_back(std::move(name), std::move(scheduler));
  }
  void set(std::string name, std::unique_ptr<Provider> made) {
    provider_name = std::move(name);
    provider = std::move(made);
  }
};

struct Adapters {
  std::map<std::string, ClusterAdapters, std::less<>> clusters;  // by the cluster's id

  // Null where none of that name is configured.
  Scheduler* scheduler(std::string_view cluster, std::string_view name) const;
  Provider* provider(std::string_view cluster, std::string_view name) const;
};

// The set that is in force. Thread safe.
class CurrentAdapters {
 public:
  CurrentAdapters() : CurrentAdapters(Adapters{}) {}
  explicit CurrentAdapters(Adapters first) : now_(std::make_shared<const Adapters>(std::move(first))) {}

  // Shared, because calls under way outlive a replacement: the last of them ends the old set.
  std::shared_ptr<const Adapters> get() const;
  void replace(Adapters next);
  // From now on the schedulers of the set in force, and of each that takes its place, say to `changed` what changed
  // (ports/scheduler.hpp: a hint to look sooner). Empty: to nobody; no call is running when this has returned.
  using Changed = std::function<void(std::string_view cluster, std::string_view node_name)>;
  void listen(Changed changed);

 private:
  static void connect(const Adapters& adapters, const Changed& changed);
  mutable std::mutex mutex_;
  Changed changed_;
  std::shared_ptr<const Adapters> now_;
};

}  // namespace sickbay::engine
