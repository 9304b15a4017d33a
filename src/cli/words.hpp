// Words between people and the API: actions and their modes, ages, and members of the server's JSON as text.
#pragma once

#include <string>
#include <string_view>

#include "model/json.hpp"

namespace sickbay::cli {

// The member at a path such as "quarantine.cause" as a person reads it: text as it is, numbers and truth in words,
// "" where it is absent, null or not one value.
std::string text_at(const json::value& value, std::string_view path);
// The first of these paths that has text.
std::string first_text(const json::value& value, std::initializer_list<std::string_view> paths);
// The list at a path; empty where there is none.
const json::array& list_at(const json::value& value, std::string_view path);

// "reboot" <-> "REMEDIATION_MODE_REBOOT_VM" (product.md's table of actions). Unknown words stay as they are.
std::string mode_of(std::string_view action);
std::string action_of(std::string_view mode);
// What an action does to a node, in a sentence for somebody about to say yes.
std::string_view what_happens(std::string_view action);

// "3m" for an RFC 3339 time three minutes before now; "-" for an empty one, the text itself where it is no time.
std::string age(std::string_view time, Time now);
// "1m 10s" for "69865573us"; the text itself where it is no duration.
std::string length(std::string_view duration);
// 2026-05-01 10:00:07, UTC and without fractions.
std::string clock_time(std::string_view time);

// Text from elsewhere, safe for a terminal: control characters, with which it could play tricks, are gone.
std::string printable(std::string_view text);

}  // namespace sickbay::cli
