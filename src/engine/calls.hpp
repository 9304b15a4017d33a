// Calls into the world: which may be made now, at most one about the same thing at a time, and what they say of the
// adapter's reachability. Nothing here decides anything about nodes.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/time.hpp"
#include "engine/executor.hpp"
#include "engine/reach.hpp"

namespace sickbay::engine {

struct AdapterKey {
  std::string cluster, name;
  auto operator<=>(const AdapterKey&) const = default;
};

// What a call came to. asked: something was sent its way. error: why there was no answer; empty: it answered.
struct Told {
  bool asked = false;
  std::string error;
};

class Calls {
 public:
  using Call = std::function<Told()>;
  // An adapter is in doubt, was lost or came back; called after the call that showed it, without any lock.
  using OnNews = std::function<void(const AdapterKey&, Reach::News, Duration since, const std::string& error)>;
  struct About {
    AdapterKey adapter;
    std::string what;  // the same is never asked twice at a time
    Asks asks = Asks::look;
    Duration apart{};  // ... nor sooner than this after the last time; longer for what failed then
  };

  Calls(std::unique_ptr<Executor> executor, const Clock& clock, OnNews on_news)
      : executor_(std::move(executor)), clock_(clock), on_news_(std::move(on_news)) {}

  // False: not now (it is being asked, was asked just now, cannot be reached, or there is no room). Ask again later.
  bool submit(const About& about, Call call);
  // Its adapters are others now, by the same names perhaps: what calls of the old ones came to says nothing of them.
  void forget(std::string_view cluster);
  bool run_one() { return executor_->run_one(); }
  void stop() { executor_->stop(); }
  // How long until an adapter that cannot be reached is to be probed once more, seen from within a failing probe.
  Duration probe_in(const AdapterKey& adapter) const;

 private:
  struct Asked {
    bool busy = false;
    Duration at{};
    int failures = 0;  // in a row
  };
  using AskedKey = std::pair<AdapterKey, std::string>;
  static bool is_too_soon(const Asked& asked, Duration apart, Duration now);
  void run(const About& about, const Call& call);
  void forget_old(Duration now);

  const std::unique_ptr<Executor> executor_;
  const Clock& clock_;
  const OnNews on_news_;
  mutable std::mutex mutex_;
  std::map<AskedKey, Asked> asked_;
  Duration forgot_at_{};
  std::map<AdapterKey, Reach> reach_;
};

}  // namespace sickbay::engine
