#include "engine/reach.hpp"

#include <algorithm>
#include <utility>

namespace sickbay::engine {

bool Reach::allows(Asks asks, Duration now) const {
  return state_ == State::fine || (asks == Asks::list && !probing_ && now >= probe_at_);
}

bool Reach::begin(Asks asks, Duration now) {
  if (!allows(asks, now)) return false;
  if (state_ != State::fine) probing_ = true;
  return true;
}

void Reach::gave_up(Asks asks) {
  if (asks == Asks::list) probing_ = false;
}

Duration Reach::next_wait() const {
  if (state_ == State::lost) return std::min(2 * wait_, kProbeAtMost);
  return state_ == State::doubted || failures_ + 1 >= kLostAfter ? wait_ : Duration{};
}

Reach::News Reach::answered(Asks asks, Duration now) {
  const bool was_lost = state_ == State::lost;
  const auto listed_at = asks == Asks::list ? std::optional(now) : listed_at_;
  *this = Reach{};
  listed_at_ = listed_at;
  return was_lost ? News::back : News::none;
}

Reach::News Reach::ended(Asks asks, const std::string& error, Duration now) {
  gave_up(asks);
  if (error.empty()) return answered(asks, now);
  if (failures_++ == 0) since_ = now;
  if (asks == Asks::list) {
    if (state_ == State::fine && failures_ < kLostAfter) return News::none;
    if (state_ == State::lost && now < probe_at_) return News::none;  // a list that began before it was lost
    if (state_ == State::lost) wait_ = std::min(2 * wait_, kProbeAtMost);
    probe_at_ = now + wait_;
    return std::exchange(state_, State::lost) == State::lost ? News::none : News::lost;
  }
  if (state_ != State::fine || failures_ < kLostAfter) return News::none;
  if (listed_at_ && now - *listed_at_ < kFirstProbe) return News::none;  // it answers: it is what was asked about
  state_ = State::doubted;
  probe_at_ = now;
  return News::doubted;
}

}  // namespace sickbay::engine
