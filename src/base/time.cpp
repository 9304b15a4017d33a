#include "base/time.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

namespace sickbay {
namespace {

// Reads exactly `width` digits at the front of `text` and removes them; -1 if they are not there.
int take_digits(std::string_view& text, std::size_t width) {
  if (text.size() < width) return -1;
  int value = 0;
  for (char c : text.substr(0, width)) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(width);
  return value;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string format_time(Time time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss<Duration> clock{time - day};
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (const auto micros = clock.subseconds().count(); micros != 0) {
    std::string fraction = fmt::format(".{:06}", micros);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += fraction;
  }
  return text + "Z";
}

Result<Time> parse_time(std::string_view text) {
  using namespace std::chrono;
  const std::string original(text.substr(0, 64));
  const auto bad = [&] {
    return fail(Errc::invalid, fmt::format("'{}' is not a time; write it like 2026-05-01T10:00:00Z", original));
  };
  const int y = take_digits(text, 4);
  if (y < 0 || !take(text, '-')) return bad();
  const int mo = take_digits(text, 2);
  if (mo < 0 || !take(text, '-')) return bad();
  const int d = take_digits(text, 2);
  if (d < 0 || !(take(text, 'T') || take(text, 't') || take(text, ' '))) return bad();
  const int h = take_digits(text, 2);
  if (h < 0 || h > 23 || !take(text, ':')) return bad();
  const int mi = take_digits(text, 2);
  if (mi < 0 || mi > 59 || !take(text, ':')) return bad();
  const int s = take_digits(text, 2);
  if (s < 0 || s > 60) return bad();
  std::int64_t micros = 0;
  if (take(text, '.')) {
    std::int64_t scale = 100'000;
    std::size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits, scale /= 10) {
      micros += (text[digits] - '0') * scale;
    }
    if (digits == 0) return bad();
    text.remove_prefix(digits);
  }
  minutes offset{0};
  if (!(take(text, 'Z') || take(text, 'z'))) {
    const bool west = !text.empty() && text.front() == '-';
    if (!take(text, '+') && !take(text, '-')) return bad();
    const int oh = take_digits(text, 2);
    if (oh < 0 || oh > 23 || !take(text, ':')) return bad();
    const int om = take_digits(text, 2);
    if (om < 0 || om > 59) return bad();
    offset = minutes{(oh * 60 + om) * (west ? -1 : 1)};
  }
  const year_month_day date{year{y}, month{static_cast<unsigned>(mo)}, day{static_cast<unsigned>(d)}};
  if (!text.empty() || !date.ok()) return bad();
  const Time time = Time{sys_days{date}} + hours{h} + minutes{mi} + seconds{s} + Duration{micros} - offset;
  // What is read must be readable again as it is written: an offset may carry it out of the four digits of the year.
  if (time < Time{sys_days{year{0} / 1 / 1}} || time >= Time{sys_days{year{10'000} / 1 / 1}}) return bad();
  return time;
}

namespace {
struct Unit {
  std::string_view name;
  std::int64_t micros;
};
constexpr std::array<Unit, 6> kUnits{
    {{"d", 86'400'000'000}, {"h", 3'600'000'000}, {"m", 60'000'000}, {"s", 1'000'000}, {"ms", 1'000}, {"us", 1}}};
}  // namespace

std::string format_duration(Duration duration) {
  const std::int64_t micros = duration.count();
  if (micros == 0) return "0s";
  for (const Unit& unit : kUnits) {
    if (micros % unit.micros == 0) return fmt::format("{}{}", micros / unit.micros, unit.name);
  }
  return fmt::format("{}us", micros);
}

Result<Duration> parse_duration(std::string_view text) {
  const auto bad = [&] {
    return fail(Errc::invalid,
                fmt::format("'{}' is not a duration; write it like 30s, 10m, 1.5h or 7d", text.substr(0, 64)));
  };
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value) || value < 0) return bad();
  const std::string_view name(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (name.empty() && value == 0) return Duration{0};
  for (const Unit& unit : kUnits) {
    if (unit.name != name) continue;
    const double micros = value * static_cast<double>(unit.micros);
    if (micros > 1e17) return bad();  // 3,000 years
    return Duration{std::llround(micros)};
  }
  return bad();
}

Time SystemClock::now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Duration SystemClock::steady() const {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace sickbay
