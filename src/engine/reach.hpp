// Whether an adapter can be reached, from what its calls came to. After three failures in a row nothing is sent its way
// but one list at a time, at growing intervals: one that hangs costs a thread and not the patience of everybody who
// waits for it. Only a list that fails too says that the adapter is lost: looks at a few nodes or operations may fail
// for reasons of theirs (a dead BMC), and nobody else may suffer for them.
#pragma once

#include <optional>
#include <string>

#include "base/time.hpp"

namespace sickbay::engine {

// What a call asks for: about one node or operation; all the adapter knows; or that something out there be changed.
// Of the last the outcome is unknown if it hangs, so it is never a probe.
enum class Asks { look, list, send };

class Reach {
 public:
  static constexpr int kLostAfter = 3;
  static constexpr Duration kFirstProbe = seconds{15}, kProbeAtMost = seconds{60};
  enum class News { none, doubted, lost, back };  // doubted: a list should be asked for now

  // Whether a call may be made now.
  bool allows(Asks asks, Duration now) const;
  // The same, and begins it: while it is in doubt or lost this is the one probe.
  bool begin(Asks asks, Duration now);
  // `error` empty: it answered.
  News ended(Asks asks, const std::string& error, Duration now);
  // The call ended without having asked anything.
  void gave_up(Asks asks);

  Duration since() const { return since_; }  // the first failure of the row, by the monotonic clock
  // How long to wait for the next probe if the list under way fails too.
  Duration next_wait() const;

 private:
  enum class State { fine, doubted, lost };
  News answered(Asks asks, Duration now);

  State state_ = State::fine;
  int failures_ = 0;
  bool probing_ = false;
  Duration since_{}, probe_at_{}, wait_ = kFirstProbe;
  std::optional<Duration> listed_at_;  // when a list last answered
};

}  // namespace sickbay::engine
