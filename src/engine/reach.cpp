#include "engine/reach.hpp"

#include <algorithm>

namespace sickbay::engine {

bool Reach::allows(bool touches, Duration now) const {
  return !lost_ || (!touches && !probing_ && now >= probe_at_);
}

bool Reach::begin(bool touches, Duration now) {
  if (!allows(touches, now)) return false;
  if (lost_) probing_ = true;
  return true;
}

Duration Reach::next_wait() const {
  if (lost_) return std::min(2 * wait_, kProbeAtMost);
  return failures_ + 1 >= kLostAfter ? wait_ : Duration{};
}

Reach::News Reach::ended(const std::string& error, Duration now) {
  probing_ = false;
  if (error.empty()) {
    const bool was_lost = lost_;
    *this = Reach{};
    return was_lost ? News::back : News::none;
  }
  if (failures_++ == 0) since_ = now;
  if (lost_) {
    if (now < probe_at_) return News::none;  // a call that began before it was lost
    wait_ = std::min(2 * wait_, kProbeAtMost);
    probe_at_ = now + wait_;
    return News::none;
  }
  if (failures_ < kLostAfter) return News::none;
  lost_ = true;
  probe_at_ = now + wait_;
  return News::lost;
}

}  // namespace sickbay::engine
