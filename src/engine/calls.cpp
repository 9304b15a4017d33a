#include "engine/calls.hpp"

#include <algorithm>

namespace sickbay::engine {
namespace {

constexpr std::size_t kManyAsked = 10'000;  // from here on what was asked long ago is forgotten
constexpr Duration kForgetEvery = minutes{1};
constexpr Duration kLongAgo = minutes{5};  // longer than is_too_soon() ever waits
constexpr int kDoublings = 4;              // a look that fails is asked for more and more seldom, up to this

}  // namespace

void Calls::forget_old(Duration now) {
  if (asked_.size() < kManyAsked || now - forgot_at_ < kForgetEvery) return;
  forgot_at_ = now;
  std::erase_if(asked_, [&](const auto& one) { return !one.second.busy && now - one.second.at > kLongAgo; });
}

namespace {
Urgency urgency_of(Asks asks) {
  if (asks == Asks::list) return Urgency::first;  // one for all nodes, at most one at a time
  return asks == Asks::send ? Urgency::soon : Urgency::none;
}
}  // namespace

// One node whose BMC is dead must not fill its adapter's lane with calls that time out.
bool Calls::is_too_soon(const Asked& asked, Duration apart, Duration now) {
  return asked.busy || now - asked.at < apart * (1 << std::min(asked.failures, kDoublings));
}

bool Calls::submit(const About& about, Call call) {
  const AskedKey key{about.adapter, about.what};
  const Duration now = clock_.steady();
  {
    const std::lock_guard lock(mutex_);
    if (!reach_[about.adapter].allows(about.asks, now)) return false;
    forget_old(now);
    const auto [found, fresh] = asked_.try_emplace(key);
    if (!fresh && is_too_soon(found->second, about.apart, now)) return false;
    found->second.busy = true;
    found->second.at = now;
  }
  // Outside of the lock: an executor has one of its own.
  const std::string lane = about.adapter.cluster + "/" + about.adapter.name;
  const bool taken =
      executor_->submit(lane, urgency_of(about.asks), [this, about, call = std::move(call)] { run(about, call); });
  if (taken) return true;
  const std::lock_guard lock(mutex_);
  asked_.erase(key);
  return false;
}

void Calls::forget(std::string_view cluster) {
  const std::lock_guard lock(mutex_);
  std::erase_if(reach_, [&](const auto& one) { return one.first.cluster == cluster; });
  for (auto& [key, asked] : asked_) {
    if (key.first.cluster == cluster) asked.failures = 0;
  }
}

void Calls::run(const About& about, const Call& call) {
  {
    const std::lock_guard lock(mutex_);
    // It may have been lost while this waited in the queue.
    if (!reach_[about.adapter].begin(about.asks, clock_.steady())) {
      asked_[{about.adapter, about.what}].busy = false;
      return;
    }
  }
  struct Ended {  // also when the call throws
    Calls& calls;
    const About& about;
    bool told = false;
    ~Ended() {
      const std::lock_guard lock(calls.mutex_);
      calls.asked_[{about.adapter, about.what}].busy = false;
      if (!told) calls.reach_[about.adapter].gave_up(about.asks);
    }
  };
  Reach::News news = Reach::News::none;
  Duration since{};
  Told told;
  {
    Ended ended{*this, about};
    told = call();
    if (told.asked) {
      const std::lock_guard lock(mutex_);
      Reach& reach = reach_[about.adapter];
      news = reach.ended(about.asks, told.error, clock_.steady());
      since = reach.since();
      ended.told = true;
      int& failures = asked_[{about.adapter, about.what}].failures;
      failures = told.error.empty() ? 0 : failures + 1;
    }
  }
  if (news != Reach::News::none) on_news_(about.adapter, news, since, told.error);
}

Duration Calls::probe_in(const AdapterKey& adapter) const {
  const std::lock_guard lock(mutex_);
  const auto found = reach_.find(adapter);
  return found == reach_.end() ? Duration{} : found->second.next_wait();
}

}  // namespace sickbay::engine
