#include "engine/adapters.hpp"

#include <algorithm>

namespace sickbay::engine {

Scheduler* Adapters::scheduler(std::string_view cluster, std::string_view name) const {
  const auto of = clusters.find(cluster);
  if (of == clusters.end()) return nullptr;
  const auto found = std::ranges::find_if(of->second.schedulers, [&](const auto& one) { return one.first == name; });
  return found == of->second.schedulers.end() ? nullptr : found->second.get();
}

Provider* Adapters::provider(std::string_view cluster, std::string_view name) const {
  const auto of = clusters.find(cluster);
  return of != clusters.end() && of->second.provider_name == name ? of->second.provider.get() : nullptr;
}

std::shared_ptr<const Adapters> CurrentAdapters::get() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

void CurrentAdapters::replace(Adapters next) {
  auto old = std::make_shared<const Adapters>(std::move(next));
  {
    const std::lock_guard lock(mutex_);
    now_.swap(old);
  }
  connect(*old, {});  // it ends here, or with its last call
  const std::lock_guard lock(mutex_);
  if (changed_) connect(*now_, changed_);
}

void CurrentAdapters::listen(Changed changed) {
  const std::lock_guard lock(mutex_);
  changed_ = std::move(changed);
  connect(*now_, changed_);
}

void CurrentAdapters::connect(const Adapters& adapters, const Changed& changed) {
  for (const auto& [cluster, of] : adapters.clusters) {
    for (const auto& [name, scheduler] : of.schedulers) {
      if (!changed) {
        scheduler->on_change({});
      } else {
        scheduler->on_change([changed, id = cluster](std::string_view node) { changed(id, node); });
      }
    }
  }
}

}  // namespace sickbay::engine
