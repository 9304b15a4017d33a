// What a look at a scheduler proves. Unknown is not idle: a streak of idle looks is broken by any look that was busy,
// did not know, did not find the node, or failed.
#include <algorithm>

#include "decide/turn.hpp"

namespace sickbay::decide {

namespace {

// How long the streak is now: one more than before, but never more than looks 15 s apart could have counted since it
// began, so that ten looks in one second count once (product.md 4.1 "seen twice at least 15 s apart").
std::uint32_t streak_length(std::uint32_t before, Time since, Time now) {
  const auto possible = 1 + std::max<std::int64_t>((now - since) / kLookApart, 0);
  return static_cast<std::uint32_t>(std::min<std::int64_t>(std::int64_t{before} + 1, possible));
}

}  // namespace

Observation fold_observation(const std::optional<Observation>& previous, Observation look, Duration took) {
  const Time now = look.seen_at;
  if (!look.error.empty()) {
    Observation kept = previous ? *previous : look;
    if (!previous) kept.idleness = Idleness::unknown;
    kept.error = look.error;
    kept.idle_since.reset();
    kept.gone_since.reset();
    kept.idle_looks = kept.gone_looks = 0;
    return kept;
  }
  if (previous && look.seen_at < previous->seen_at) return *previous;  // an older view than what is known already
  look.idle_since.reset();
  look.gone_since.reset();
  look.idle_looks = look.gone_looks = 0;
  if (look.exists && look.idleness == Idleness::idle) {
    // Work may come until the mark is in place: a look that saw another mark, or none, begins nothing that counts now.
    const bool goes_on = previous && previous->idle_since && previous->cordoned == look.cordoned &&
                         previous->hold_owner == look.hold_owner;
    look.idle_since = goes_on ? *previous->idle_since : now + took;
    look.idle_looks = streak_length(goes_on ? previous->idle_looks : 0, *look.idle_since, now);
  }
  if (!look.exists) {
    look.gone_since = previous && previous->gone_since ? *previous->gone_since : now + took;
    look.gone_looks = streak_length(previous ? previous->gone_looks : 0, *look.gone_since, now);
  }
  return look;
}

bool is_fresh(const Observation& observation, Time now) {
  return observation.error.empty() && now - observation.seen_at <= kFresh;
}

}  // namespace sickbay::decide
