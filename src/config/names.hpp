// What may be a name in a configuration, and how text from a file is quoted in a message. Names go into ids, rows,
// paths of URLs, logs and terminals, and stay in the database: one narrow rule at the door instead of care at each
// place.
#pragma once

#include <string>
#include <string_view>

namespace sickbay::config {

constexpr std::size_t kLongestName = 63;

// Why `text` is no name; empty: it is one.
std::string_view flaw_of_name(std::string_view text);
// Why it is no name of a cluster: it is no name, or means something else where the API has a cluster's name in a path.
std::string_view flaw_of_cluster_name(std::string_view text);

// Text of a file as a message may repeat it: one line of printable UTF-8 of at most `most` bytes before escaping.
std::string quotable(std::string_view text, std::size_t most = 80);

}  // namespace sickbay::config
