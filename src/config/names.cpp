// The rule for names, and quoting.
#include "config/names.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace sickbay::config {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool may_be_in_name(char c) {
  return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
}

}  // namespace

std::string_view flaw_of_name(std::string_view text) {
  if (!text.empty() && text.size() <= kLongestName && is_letter_or_digit(text.front()) &&
      std::ranges::all_of(text, may_be_in_name)) {
    return {};
  }
  return "a name is 1 to 63 letters, digits, '-', '_' and '.', and begins with a letter or a digit";
}

std::string_view flaw_of_cluster_name(std::string_view text) {
  if (const std::string_view flaw = flaw_of_name(text); !flaw.empty()) return flaw;
  // /v1/compute/clusters/storage/volumes, and /v1/compute/clusters/{cluster} takes ids as well as names.
  if (text == "storage") return "paths of the API have that word where a cluster's name stands; choose another";
  if (text.starts_with("clu-")) return "so begin the ids of clusters, which stand where names do; choose another";
  return {};
}

std::string quotable(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : to_utf8(truncate_utf8(text, most))) {  // which leaves newline and tab
    if (c == '\n') {
      out += "\\x0a";
    } else if (c == '\t') {
      out += "\\x09";
    } else {
      out += c;
    }
  }
  return text.size() > most ? out + "..." : out;
}

}  // namespace sickbay::config
