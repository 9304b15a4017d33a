// The loop around the turns: what is due is taken, turned once, and left for the next. Nothing here decides anything.
#include "engine/engine.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "store/events.hpp"

namespace sickbay::engine {
namespace {

constexpr Duration kDivergence = seconds{5};  // engine.md 2: a clock that stepped
constexpr Duration kTrustAgain = minutes{5};  // ... and has been steady for so long is believed again
constexpr Duration kIngestLag = seconds{30};  // engine.md 2
constexpr Duration kHeartbeatsWritten = seconds{5};
constexpr Duration kPruneEvery = hours{1};
constexpr std::size_t kPruneAtOnce = 1000;
constexpr std::size_t kLookAhead = 16;
constexpr int kTurnTries = 5;

}  // namespace

Engine::Engine(store::Store& store, const World& world, const FaultTable& faults, const Clock& clock, Ids& ids,
               const Options& options, Hook hook)
    : store_(store),
      world_(world),
      faults_(faults),
      clock_(clock),
      ids_(ids),
      options_(options),
      hook_(std::move(hook)),
      intake_(store, clock, ids, options, [this] { notify(); }) {}

Engine::~Engine() {
  stop();
}

decide::Caution Engine::caution() const {
  const std::lock_guard lock(mutex_);
  return {.observe_only = observe_only_,
          .deadlines_frozen = diverged_at_.has_value(),
          .ingest_lagging = intake_.lag() > kIngestLag};
}

void Engine::check_clock(Time database_now) {
  const std::lock_guard lock(mutex_);
  const Duration steady = clock_.steady();
  if (clock_pair_) {
    const Duration drift = (database_now - clock_pair_->first) - (steady - clock_pair_->second);
    if (drift > kDivergence || drift < -kDivergence) {
      log::error("the database's clock moved {} s against ours: no deadline expires until it has been steady for {}",
                 drift.count() / 1'000'000, format_duration(kTrustAgain));
      diverged_at_ = steady;
      clock_pair_.reset();
    }
  }
  if (!clock_pair_) clock_pair_ = {database_now, steady};
  if (diverged_at_ && steady - *diverged_at_ > kTrustAgain) diverged_at_.reset();
}

std::optional<store::Work> Engine::claim() {
  const bool claims = store_.is_postgresql();
  const auto due = [&]() -> Result<std::vector<store::Work>> {
    if (!claims) {
      return store_.read([&](store::Tx& tx) -> Result<std::vector<store::Work>> {
        return store::list_due(tx, store::now(tx), kLookAhead + options_.workers);
      });
    }
    return store_.write([&](store::Tx& tx) -> Result<std::vector<store::Work>> {
      return store::take_due(tx, store::now(tx), 1, options_.claim);
    });
  }();
  if (!due) {
    log::error("work could not be read: {}", due.error().message);
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  for (const store::Work& work : *due) {
    if (in_turn_.emplace(work.kind, work.key).second) return work;
  }
  return std::nullopt;
}

Result<bool> Engine::step() {
  const auto work = claim();
  if (!work) return false;
  struct Release {  // also when a test crashes the replica in the middle
    Engine& engine;
    const store::Work& work;
    ~Release() {
      const std::lock_guard lock(engine.mutex_);
      engine.in_turn_.erase({work.kind, work.key});
    }
  } release{*this, *work};
  SICKBAY_CHECK(turn(work->kind, work->key));
  return true;
}

Status Engine::turn(std::string_view kind, std::string_view key) {
  Status status;
  for (int tries = 0; tries < kTurnTries; ++tries) {
    if (kind == "node") {
      status = node_turn(key);
    } else if (kind == "cluster") {
      status = cluster_turn(key);
    } else if (kind == "watch") {
      status = watch_turn(key);
    } else if (kind == "publish") {
      status = publish_turn(key);
    } else {
      return fail(Errc::internal, "work of an unknown kind: " + std::string(kind));
    }
    if (status || status.error().code != Errc::changed) return status;
  }
  return {};  // others keep changing it; it stays due
}

void Engine::start() {
  for (std::size_t i = 0; i < std::max<std::size_t>(options_.workers, 1); ++i) {
    threads_.emplace_back([this] { work_loop(); });
  }
  threads_.emplace_back([this] { heartbeat_loop(); });
  threads_.emplace_back([this] { publish_loop(); });
}

void Engine::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Engine::notify() {
  {
    const std::lock_guard lock(mutex_);
    work_notified_ = publish_notified_ = true;
  }
  wake_.notify_all();
}

void Engine::work_loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    work_notified_ = false;
    lock.unlock();
    const auto worked = step();
    if (!worked) log::error("a turn failed and will be repeated: {}", worked.error().message);
    lock.lock();
    if (worked && *worked) continue;
    wake_.wait_for(lock, options_.idle_poll, [&] { return stopping_ || work_notified_; });
  }
}

void Engine::heartbeat_loop() {
  Duration pruned = clock_.steady();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    if (clock_.steady() - pruned > kPruneEvery && prune()) pruned = clock_.steady();
    if (const auto recalled = recall(); !recalled) {
      log::error("whether the database goes on where it was is not known: {}", recalled.error().message);
    }
    if (const auto flushed = intake_.flush(); !flushed) {
      log::error("heartbeats could not be written: {}", flushed.error().message);
    }
    lock.lock();
    wake_.wait_for(lock, kHeartbeatsWritten, [&] { return stopping_; });
  }
}

// Deletes a bounded part of what is too old; true when nothing of that is left.
bool Engine::prune() {
  const auto pruned = store_.write([&](store::Tx& tx) -> Result<std::size_t> {
    return store::prune(tx, store::now(tx) - std::max<Duration>(options_.keep, hours{24 * 30}), kPruneAtOnce);
  });
  if (!pruned) log::error("old history could not be deleted: {}", pruned.error().message);
  return !pruned || *pruned < kPruneAtOnce;
}

void Engine::publish_loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    publish_notified_ = false;
    lock.unlock();
    if (const auto published = turn("publish", "events"); !published) {
      log::error("events could not be published: {}", published.error().message);
    }
    lock.lock();
    wake_.wait_for(lock, seconds{1}, [&] { return stopping_ || publish_notified_; });
  }
}

}  // namespace sickbay::engine
