// Reading a request's parts.
#include "api/call.hpp"

#include <fmt/core.h>

#include "base/text.hpp"
#include "store/nodes.hpp"
#include "store/paging.hpp"

namespace sickbay::api {
namespace {

constexpr std::uint64_t kLargestPage = 1000;

bool holds_nul(const json::value& value) {
  if (value.is_string()) return value.get_string().find('\0') != json::string::npos;
  if (value.is_array()) return std::any_of(value.get_array().begin(), value.get_array().end(), holds_nul);
  if (!value.is_object()) return false;
  return std::any_of(value.get_object().begin(), value.get_object().end(), [](const auto& member) {
    return member.key().find('\0') != json::string_view::npos || holds_nul(member.value());
  });
}

}  // namespace

std::string_view Call::part(std::string_view name) const {
  const auto found = path_.find(std::string(name));
  return found == path_.end() ? std::string_view{} : std::string_view(found->second);
}

std::optional<std::string> Call::parameter(std::string_view name) const {
  for (const auto& [key, value] : query_) {
    if (key == name && !value.empty()) return value;
  }
  return std::nullopt;
}

std::vector<std::string> Call::list(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : query_) {
    // "mode", and the "mode[]" that some clients make of a list
    if (key != name && key != std::string(name) + "[]") continue;
    for (const std::string_view piece : split(value, ',')) {
      if (!trim(piece).empty()) values.emplace_back(trim(piece));
    }
  }
  return values;
}

Result<store::Page> Call::page() const {
  store::Page page;
  if (const auto size = parameter("page_size")) {
    const auto number = parse_uint(*size);
    if (!number || *number == 0) return fail(Errc::invalid, "page_size must be a number from 1 to 1000", "page_size");
    page.size = static_cast<std::size_t>(std::min(*number, kLargestPage));
  }
  page.token = parameter("page_token").value_or("");
  if (page.token.size() > 512) return fail(Errc::invalid, "page_token is not one of ours", "page_token");
  return page;
}

Result<json::value> Call::body_value() const {
  SICKBAY_ASSIGN(json::value value, parse_json(request.body));
  if (holds_nul(value)) return fail(Errc::invalid, "a string in the body holds NUL (\\u0000), which is stored nowhere");
  return value;
}

Result<Node> Call::node() const {
  const std::string_view name = part("node").empty() ? part("instance") : part("node");
  return find_node(name);
}

Result<Node> Call::find_node(std::string_view id_or_name) const {
  return read([&](store::Tx& tx) -> Result<Node> {
    auto node = store::get_node(tx, id_or_name);
    if (!node || node->cluster != cluster->id) node = store::find_node(tx, cluster->id, id_or_name);
    if (!node) {
      return fail(Errc::not_found, fmt::format("there is no node {} in the cluster {}", id_or_name, cluster->name));
    }
    return *node;
  });
}

}  // namespace sickbay::api
