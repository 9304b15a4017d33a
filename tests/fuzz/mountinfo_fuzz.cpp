// Any text as /proc/self/mountinfo.
// links: agent
#include <cstdint>
#include <string_view>

#include "agent/mounts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sickbay::agent::parse_mountinfo({reinterpret_cast<const char*>(data), size});
  return 0;
}
