// Server addresses as people write them.
#include <fmt/core.h>

#include <boost/asio/ip/address.hpp>

#include "base/text.hpp"
#include "net/client.hpp"

namespace sickbay::net {

Result<ServerUrl> parse_server_url(std::string_view text) {
  const std::string original(truncate_utf8(text, 200));
  const auto bad = [&](std::string_view why) {
    return fail(Errc::invalid,
                fmt::format("'{}' is not a server's address: {}; write it like https://sickbay.example:8443",
                            to_utf8(original), why));
  };
  ServerUrl url;
  if (text.starts_with("https://")) {
    url.tls = true;
    text.remove_prefix(8);
  } else if (text.starts_with("http://")) {
    text.remove_prefix(7);
  } else {
    return bad("it begins with neither https:// nor http://");
  }
  const auto slash = text.find('/');
  std::string_view authority = text.substr(0, slash);
  if (slash != std::string_view::npos) url.path = text.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  if (authority.find('@') != std::string_view::npos) return bad("credentials do not belong into it");
  std::string_view port = url.tls ? "443" : "80";
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    if (end == std::string_view::npos) return bad("the bracket is not closed");
    url.host = authority.substr(1, end - 1);
    authority.remove_prefix(end + 1);
    if (!authority.empty() && authority.front() != ':') return bad("something follows the bracket");
    if (!authority.empty()) port = authority.substr(1);
  } else {
    const auto colon = authority.find(':');
    url.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port = authority.substr(colon + 1);
  }
  const auto number = parse_uint(port);
  if (!number || *number == 0 || *number > 65535) return bad("the port is not a number from 1 to 65535");
  if (url.host.empty() || url.host.size() > 253) return bad("there is no host in it");
  for (const char c : url.host + url.path) {
    if (c <= ' ' || c == 0x7f || c == '?' || c == '#') return bad("a character in it is not allowed");
  }
  url.port = std::to_string(*number);
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(url.host, error);
  url.loopback = error ? to_lower(url.host) == "localhost" : address.is_loopback();
  return url;
}

}  // namespace sickbay::net
