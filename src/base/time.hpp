// Time: absolute microseconds UTC for everything that is stored or decided, and a Clock that is passed in, so that
// nobody else asks the time and tests move it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sickbay {

using Duration = std::chrono::microseconds;
using Time = std::chrono::sys_time<Duration>;  // Time{} (the epoch) never stands for "not set": use std::optional

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Time from_micros(std::int64_t micros) {
  return Time{Duration{micros}};
}
constexpr std::int64_t to_micros(Time time) {
  return time.time_since_epoch().count();
}

// RFC 3339 UTC, with microseconds only where they are not zero: 2026-05-01T10:00:00.25Z
std::string format_time(Time time);
// Reads RFC 3339 with any offset; Errc::invalid otherwise.
Result<Time> parse_time(std::string_view text);

// Durations as people write them: 1.5h, 30m, 90s, 250ms, 40us, 400d; "0" needs no unit. Never negative.
std::string format_duration(Duration duration);
Result<Duration> parse_duration(std::string_view text);

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;         // wall clock; may step
  virtual Duration steady() const = 0;  // monotonic since an arbitrary point; for intervals inside one process
};

class SystemClock final : public Clock {
 public:
  Time now() const override;
  Duration steady() const override;
};

// A clock that stands still until it is told otherwise.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time start = from_micros(1'800'000'000'000'000)) : now_(start) {}
  Time now() const override { return now_; }
  Duration steady() const override { return steady_; }
  void advance(Duration by) { now_ += by, steady_ += by; }
  void step_wall(Duration by) { now_ += by; }  // the wall clock alone, as NTP or an operator does

 private:
  Time now_;
  Duration steady_{seconds{1000}};
};

}  // namespace sickbay
