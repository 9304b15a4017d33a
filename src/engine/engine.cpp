// The loop around the turns: what is due is taken, turned once, and left for the next. Nothing here decides anything.
#include "engine/engine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>

#include "base/log.hpp"
#include "engine/write.hpp"
#include "store/nodes.hpp"
#include "store/upkeep.hpp"

namespace sickbay::engine {
namespace {

constexpr Duration kIngestLag = seconds{30};  // engine.md 2
constexpr Duration kHeartbeatsWritten = seconds{5};
constexpr Duration kPruneEvery = hours{1};
constexpr std::size_t kPruneAtOnce = 1000;
constexpr std::size_t kLookAhead = 16;
constexpr int kTurnTries = 5;
constexpr Duration kGivenUpFor = minutes{1};  // unless a new fact wakes it sooner
constexpr Duration kContestedFor = seconds{1};
constexpr Duration kLongestBackOff = minutes{5};

// What is of the whole installation has no cluster whose event it could be; the status page names it all the same.
void tell_failing(store::Tx& tx, WorkKind kind, std::string_view key, const std::string& id, const std::string& error) {
  Event event = event_of(EventKind::turn_fails, id, store::now(tx), "");
  if (kind == WorkKind::node) {
    const auto at = store::place_of_node(tx, key);
    if (!at) return;
    event.node = key;
    std::tie(event.cluster, event.node_name) = *at;
  } else if (kind != WorkKind::publish) {
    event.cluster = key;
  }
  event.message = fmt::format("nothing is decided about {} since {} turns in a row have failed: {}",
                              kind == WorkKind::node ? event.node_name : fmt::format("this ({})", name_of(kind)),
                              store::kToldFailures, error);
  write_events(tx, {event});
}

}  // namespace

Engine::Engine(store::Store& store, const CurrentAdapters& adapters, const FaultTable& faults, const Clock& clock,
               Ids& ids, const Options& options, TestHooks hooks, std::unique_ptr<Executor> executor)
    : store_(store),
      adapters_(adapters),
      faults_(faults),
      clock_(clock),
      ids_(ids),
      options_(options),
      hooks_(std::move(hooks)),
      intake_(store, clock, ids, options, [this] { notify(); }),
      witness_(options.witness),
      calls_(executor ? std::move(executor)
                      : std::make_unique<ThreadExecutor>(options.calls_at_once, options.calls_queued),
             clock, [this](const AdapterKey& adapter, Reach::News news, Duration since, const std::string& error) {
               note_reach(adapter, news, since, error);
             }) {}

Engine::~Engine() {
  stop();
}

decide::SafetyState Engine::caution() const {
  const std::lock_guard lock(mutex_);
  return {.observe_only = observe_only_,
          .deadlines_frozen = diverged_at_ && clock_.steady() - *diverged_at_ <= kTrustAgain,
          .ingest_lagging = intake_.lag() > kIngestLag};
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
  if (make_call()) return true;
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

Status Engine::turn_once(WorkKind kind, std::string_view key) {
  switch (kind) {
    case WorkKind::node:
      return node_turn(key);
    case WorkKind::cluster:
      return cluster_turn(key);
    case WorkKind::sync:
      return sync_turn(key);
    case WorkKind::publish:
      return publish_turn(key);
  }
  return fail(Errc::internal, "work of an unknown kind");
}

// A turn that others keep changing must not stay first in the queue, or a lone worker would never come to the nodes
// behind it.
void Engine::put_off(WorkKind kind, std::string_view key, Duration wait) {
  const Status put_off = store_.write([&](store::Tx& tx) -> Status {
    const std::uint64_t version = store::work_version(tx, kind, key);
    if (version != 0 && store::still(tx, kind, key, version)) {
      store::put_off(tx, kind, key, store::now(tx) + wait);
    }
    return {};
  });
  if (!put_off) log::error("the {} {} could not be put off: {}", name_of(kind), key, put_off.error().message);
}

// Nor one that fails: it is put off for 1 s, doubling to 5 minutes, and named to people when it goes on (engine.md 1).
void Engine::put_off_failed(WorkKind kind, std::string_view key, Duration at_least, const std::string& error) {
  const std::string event_id = ids_.next("ev");
  const Status put_off = store_.write([&](store::Tx& tx) -> Status {
    const std::uint64_t version = store::work_version(tx, kind, key);
    if (version == 0 || !store::still(tx, kind, key, version)) return {};
    const Time now = store::now(tx);
    const int before = store::failures_of(tx, kind, key);
    const Duration wait = std::min<Duration>(seconds{1} * (1 << std::min(before, 9)), kLongestBackOff);
    store::finish_failed(tx, kind, key, now + std::max(wait, at_least), error);
    if (before + 1 == store::kToldFailures) tell_failing(tx, kind, key, event_id, error);
    return {};
  });
  if (!put_off) log::error("the {} {} could not be put off: {}", name_of(kind), key, put_off.error().message);
}

Status Engine::turn(WorkKind kind, std::string_view key) {
  try {
    for (int tries = 0; tries < kTurnTries; ++tries) {
      const Status status = turn_once(kind, key);
      if (status) return status;
      if (status.error().code != Errc::changed) {
        put_off_failed(kind, key, {}, status.error().message);
        return fail(status.error().code, fmt::format("{} {}: {}", name_of(kind), key, status.error().message));
      }
    }
    put_off(kind, key, kContestedFor);  // others keep changing it
    return {};
  } catch (const std::exception& error) {  // a simulated crash is none
    put_off_failed(kind, key, kGivenUpFor, error.what());
    return fail(Errc::internal, fmt::format("the turn of {} {} was given up: {}", name_of(kind), key, error.what()));
  }
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
  calls_.stop();
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
    if (const auto compared = compare_lineage(); !compared) {
      log::error("could not check whether the database was rolled back or restored: {}", compared.error().message);
    }
    (void)clock_is_sound();  // what is wrong is written down; turns ask for themselves
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
    if (const Status woken = wake_changed(); !woken) {
      log::error("nodes that changed could not be woken: {}", woken.error().message);
    }
    if (const auto published = turn(WorkKind::publish, "events"); !published) {
      log::error("events could not be published: {}", published.error().message);
    }
    lock.lock();
    wake_.wait_for(lock, seconds{1}, [&] { return stopping_ || publish_notified_; });
  }
}

}  // namespace sickbay::engine
