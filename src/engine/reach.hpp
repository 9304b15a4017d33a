// Whether an adapter can be reached, from what its calls came to. After three failures in a row it cannot: from then on
// one call at a time probes it, at growing intervals, and nothing else is sent its way, so that one that hangs costs a
// thread and not the patience of everybody who waits for it.
#pragma once

#include <optional>
#include <string>

#include "base/time.hpp"

namespace sickbay::engine {

class Reach {
 public:
  static constexpr int kLostAfter = 3;
  static constexpr Duration kFirstProbe = seconds{15}, kProbeAtMost = seconds{60};
  enum class News { none, lost, back };

  // Whether a call may be made now. `touches`: it changes something out there; such a call is never the probe, since
  // one that hangs is one whose outcome nobody knows.
  bool allows(bool touches, Duration now) const;
  // The same, and begins it: while it cannot be reached this is the one probe.
  bool begin(bool touches, Duration now);
  // `error` empty: it answered.
  News ended(const std::string& error, Duration now);
  // The call ended without having asked anything.
  void gave_up() { probing_ = false; }

  bool is_lost() const { return lost_; }
  Duration since() const { return since_; }  // the first failure of the row, by the monotonic clock
  // How long to wait for the next probe if the call under way fails too.
  Duration next_wait() const;

 private:
  int failures_ = 0;
  bool lost_ = false, probing_ = false;
  Duration since_{}, probe_at_{}, wait_ = kFirstProbe;
};

}  // namespace sickbay::engine
