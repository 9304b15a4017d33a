// links: net
// Request targets and header fields: whatever bytes come, no crash, and never a decoded NUL or broken UTF-8.
#include <cstdint>
#include <cstdlib>

#include "base/text.hpp"
#include "net/message.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto target = sickbay::net::parse_target(text)) {
    const auto clean = [](const std::string& piece) {
      if (piece.find('\0') != std::string::npos || !sickbay::is_utf8(piece)) std::abort();
    };
    for (const auto& piece : target->path) clean(piece);
    for (const auto& [key, value] : target->query) clean(key), clean(value);
  }
  const auto problem = sickbay::net::plain_problem(400, text);
  if (!sickbay::is_utf8(problem.body)) std::abort();
  return 0;
}
