#include "config/members.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "base/text.hpp"

namespace sickbay::config {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestUrl = 1000;

std::string shown(const json::value& value) {
  return quotable(json::serialize(value), 60);
}

// An address as a message may repeat it: without what may be a password.
std::string shown_url(std::string_view text) {
  const auto at = text.rfind('@');
  return at == std::string_view::npos ? quotable(text) : "..." + quotable(text.substr(at));
}

// Why this is no address to speak to; empty: it is one.
std::string_view flaw_of_url(std::string_view text) {
  if (text.size() > kLongestUrl) return "is longer than 1000 characters";
  const auto read = boost::urls::parse_uri(text);
  if (!read) return "is no URL";
  if (read->scheme() != "http" && read->scheme() != "https") return "begins with neither http:// nor https://";
  if (read->encoded_host().empty()) return "has no host";
  if (read->has_userinfo()) return "has credentials in it, which do not belong into this file";
  if (read->has_query() || read->has_fragment()) return "has a query or a fragment in it";
  const auto port = parse_uint(std::string_view(read->port()));
  if (read->has_port() && (!port || *port == 0 || *port > 65535)) return "has no port that can be (1 to 65535)";
  return {};
}

}  // namespace

Members::Members(const json::value& value, std::string path) : path_(std::move(path)) {
  if (value.is_object()) {
    object_ = &value.get_object();
  } else {
    status_ = fail(Errc::invalid, fmt::format("{} must be a map of members, not {}", path_, shown(value)), path_);
  }
}

std::string Members::at(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}
bool Members::has(std::string_view name) const {
  return object_ && object_->contains(name);
}
const json::value* Members::take(std::string_view name) {
  known_.emplace_back(name);
  return status_ && object_ ? object_->if_contains(name) : nullptr;
}

void Members::wrong(std::string_view name, std::string_view why) {
  if (status_) status_ = fail(Errc::invalid, fmt::format("{} {}", at(name), why), at(name));
}
void Members::need(std::string_view name, std::string_view what) {
  if (!status_ || has(name)) return;
  const std::string_view where = path_.empty() ? std::string_view("the file") : path_;
  status_ = fail(Errc::invalid, fmt::format("{} has no '{}': {}", where, name, what), path_);
}

const json::string* Members::take_text(std::string_view name) {
  const json::value* value = take(name);
  if (!value) return nullptr;
  if (!value->is_string()) wrong(name, fmt::format("must be text, not {} (put it in quotes)", shown(*value)));
  return value->if_string();
}

void Members::name(std::string_view name, std::string& out, std::string_view (*flaw_of)(std::string_view)) {
  const json::string* text = take_text(name);
  if (!text) return;
  const std::string_view flaw = flaw_of(*text);
  if (!flaw.empty()) return wrong(name, fmt::format("is '{}': {}", quotable(*text), flaw));
  out = std::string(*text);
}

void Members::one_of(std::string_view name, std::string& out, std::vector<std::string> words) {
  const json::value* value = take(name);
  if (!value) return;
  const std::string text = value->is_string() ? std::string(value->get_string()) : shown(*value);
  if (std::find(words.begin(), words.end(), text) == words.end()) {
    return wrong(name, fmt::format("is '{}'; this version knows: {}", quotable(text), fmt::join(words, ", ")));
  }
  out = text;
}

void Members::url(std::string_view name, std::string& out) {
  const json::string* text = take_text(name);
  if (!text) return;
  if (const std::string_view flaw = flaw_of_url(*text); !flaw.empty()) {
    return wrong(name, fmt::format("is '{}', which {}; write it like http://127.0.0.1:8490", shown_url(*text), flaw));
  }
  out = std::string(*text);
  while (out.ends_with('/')) out.pop_back();  // paths that follow begin with one
}

void Members::duration(std::string_view name, Duration& out, Duration least, Duration most) {
  const json::value* value = take(name);
  if (!value) return;
  const auto read = value->is_string() ? parse_duration(std::string_view(value->get_string()))
                                       : Result<Duration>(fail(Errc::invalid, ""));
  if (!read || *read < least || *read > most) {
    return wrong(name, fmt::format("is {}; it must be from {} to {}, such as \"30s\" or \"5m\"", shown(*value),
                                   format_duration(least), format_duration(most)));
  }
  out = *read;
}

void Members::count(std::string_view name, std::uint32_t& out, std::uint32_t least, std::uint32_t most) {
  const json::value* value = take(name);
  if (!value) return;
  if (!value->is_int64() || value->get_int64() < least || value->get_int64() > most) {
    return wrong(name, fmt::format("is {}; it must be a number from {} to {}", shown(*value), least, most));
  }
  out = static_cast<std::uint32_t>(value->get_int64());
}

Status Members::done() {
  if (!status_ || !object_) return status_;
  for (const auto& [key, value] : *object_) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string name(key);
    return fail(Errc::invalid,
                fmt::format("'{}' is not known here; known are: {}", quotable(at(name)), fmt::join(known_, ", ")),
                at(name));
  }
  return {};
}

}  // namespace sickbay::config
