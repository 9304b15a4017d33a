// Where a program of ours listens, as people write it on its command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sickbay::net {

struct ListenAddress {
  std::string host;  // an address or a name of this machine, without brackets
  std::uint16_t port = 0;
};

// "HOST:PORT" or "[::1]:PORT"; port 0 means any free one. Errc::invalid says how it is written.
Result<ListenAddress> parse_listen(std::string_view text);

// "http://HOST:PORT", with brackets where the host is an IPv6 address.
std::string url_of(std::string_view scheme, std::string_view host, std::uint16_t port);

}  // namespace sickbay::net
