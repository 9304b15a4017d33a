#include "net/listen.hpp"

#include <fmt/core.h>

#include "base/text.hpp"

namespace sickbay::net {

Result<ListenAddress> parse_listen(std::string_view text) {
  const auto bad = [&] {
    return fail(Errc::invalid,
                fmt::format("--listen takes HOST:PORT, such as 127.0.0.1:8480 or [::1]:8480, not '{}'", text));
  };
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad();
  std::string_view host = text.substr(0, colon);
  const auto port = parse_uint(text.substr(colon + 1));
  if (!port || *port > 65535) return bad();
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return bad();  // an IPv6 address without brackets: where it ends and the port begins is anybody's guess
  }
  if (host.empty() || host.find_first_of("[]") != std::string_view::npos) return bad();
  return ListenAddress{std::string(host), static_cast<std::uint16_t>(*port)};
}

std::string url_of(std::string_view scheme, std::string_view host, std::uint16_t port) {
  const bool v6 = host.find(':') != std::string_view::npos;
  return fmt::format("{}://{}{}{}:{}", scheme, v6 ? "[" : "", host, v6 ? "]" : "", port);
}

}  // namespace sickbay::net
