// Time that never goes back, and never stands still for long: while the wall clock is behind what was given out already
// (it was set back), time goes on by the steady one, so that waits end and lists are made (engine.md 2).
#pragma once

#include <algorithm>
#include <optional>

#include "base/time.hpp"

namespace sickbay::store {

class OnlyForward {
 public:
  // `kept`: the highest time that was ever given out, as far as is known.
  explicit OnlyForward(Time kept = {}) : latest_(kept) {}

  // The time now; `wall` and `steady` are what the two clocks show.
  Time at(Time wall, Duration steady) {
    const Duration passed = asked_at_ ? std::max(steady - *asked_at_, Duration{}) : Duration{};
    asked_at_ = steady;
    // Two connections or replicas may be a little apart: that is no reason to run ahead of the wall clock.
    if (wall >= latest_ || latest_ - wall <= kApart) return latest_ = std::max(latest_, wall);
    return latest_ += passed;
  }
  // Somebody else has come so far.
  void note(Time other) { latest_ = std::max(latest_, other); }
  Time latest() const { return latest_; }

 private:
  static constexpr Duration kApart = seconds{5};
  Time latest_;
  std::optional<Duration> asked_at_;  // steady
};

}  // namespace sickbay::store
