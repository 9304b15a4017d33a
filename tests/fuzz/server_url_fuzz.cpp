// Any text as a server's address.
// links: net
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "net/client.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto url = sickbay::net::parse_server_url({reinterpret_cast<const char*>(data), size});
  if (url && (url->host.empty() || url->port.empty())) std::abort();
  return 0;
}
