// Words for people: what actions do, ages, times and lengths, and text that is safe for a terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "model/words.hpp"

namespace sickbay::cli {

// What an action does to a node, in a sentence for somebody about to say yes.
std::string_view what_happens(Action action);

std::string yes_or_no(bool value);
// "3m" for a time three minutes before now; "-" for none.
std::string age(std::optional<Time> time, Time now);
// "1m 10s"; "" for none.
std::string length(std::optional<Duration> duration);
// 2026-05-01 10:00:07, UTC and without fractions; "" for none.
std::string clock_time(std::optional<Time> time);

// Text from elsewhere, safe for a terminal: control characters, with which it could play tricks, are gone.
std::string printable(std::string_view text);

}  // namespace sickbay::cli
