// The database's clock beside this replica's steady one (engine.md 2). A step ahead would end every wait at once: it is
// seen before anything is decided on it, written down once for all replicas, and every open wait grows by it. Set back,
// time goes on by the steady clock (store/only_forward.hpp), and nothing is to be mended.
#include <fmt/core.h>

#include "base/log.hpp"
#include "engine/engine.hpp"
#include "engine/write.hpp"

namespace sickbay::engine {
namespace {

constexpr Duration kDivergence = seconds{5};  // engine.md 2: a clock that stepped
constexpr Duration kPairFor = minutes{1};     // two readings are compared over no longer than this, where turns allow

}  // namespace

// How far the database's clock is ahead of ours since the last comparison, but for steps that are written down; zero:
// no further than two clocks that are both right drift apart. The caller holds the lock.
Duration Engine::stepped(Time now, Duration steady, Duration known) const {
  if (!clock_pair_) return {};
  const Duration passed = steady - clock_pair_->steady;
  const Duration drift = (now - clock_pair_->database) - passed - (known - clock_pair_->known);
  const Duration most = kDivergence + passed / 2000;
  return drift > most || drift < -most ? drift : Duration{};
}

bool Engine::clock_is_sound(Time now, Duration known) {
  const Duration steady = clock_.steady();
  Duration step{};
  {
    const std::lock_guard lock(mutex_);
    step = stepped(now, steady, known);
    if (step == Duration{}) {
      if (!clock_pair_ || steady - clock_pair_->steady > kPairFor) clock_pair_ = {now, steady, known};
      return true;
    }
    diverged_at_ = steady;
    if (step < Duration{}) clock_pair_ = {now, steady, known};
  }
  if (step > Duration{}) note_step();
  return false;
}

bool Engine::clock_is_sound() {
  const auto read = store_.read([](store::Tx& tx) -> Result<std::pair<Time, Duration>> {
    return std::pair(store::now(tx), store::clock_steps(tx).total);
  });
  return read && clock_is_sound(read->first, read->second);
}

// Another replica may have written it down meanwhile: what is left is looked at again, with the row locked.
void Engine::note_step() {
  const std::string event_id = ids_.next("ev");
  Duration noted{};
  const auto pair = store_.write([&](store::Tx& tx) -> Result<ClockPair> {
    const store::ClockSteps known = store::lock_clock_steps(tx);
    const Time now = store::now(tx);
    const Duration steady = clock_.steady();
    {
      const std::lock_guard lock(mutex_);
      noted = std::max(stepped(now, steady, known.total), Duration{});
    }
    if (noted == Duration{}) return ClockPair{now, steady, known.total};
    store::add_clock_step(tx, noted, now);
    tell_all_clusters(tx, event_id, EventKind::clock_step,
                      fmt::format("the database's clock moved {} s ahead of ours: open waits are longer by that, and "
                                  "no deadline ends until it has been steady for {}",
                                  noted.count() / 1'000'000, format_duration(kTrustAgain)));
    return ClockPair{now, steady, known.total + noted};
  });
  if (!pair) {
    log::error("that the database's clock moved could not be written: {}", pair.error().message);
    return;
  }
  if (noted > Duration{}) log::error("the database's clock moved {} s ahead of ours", noted.count() / 1'000'000);
  const std::lock_guard lock(mutex_);
  clock_pair_ = *pair;
}

}  // namespace sickbay::engine
