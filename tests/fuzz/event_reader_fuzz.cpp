// links: cli
// Server-sent events as a hostile server might send them: however the bytes are cut, the same events come out.
#include <cstdint>
#include <cstdlib>

#include "cli/server.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  sickbay::cli::EventReader whole, halves;
  const auto at_once = whole.feed(bytes);
  auto in_two = halves.feed(bytes.substr(0, size / 2));
  for (auto& event : halves.feed(bytes.substr(size / 2))) in_two.push_back(event);
  if (at_once.size() != in_two.size()) std::abort();
  for (std::size_t i = 0; i < at_once.size(); ++i) {
    if (at_once[i].data != in_two[i].data || at_once[i].id != in_two[i].id) std::abort();
  }
  return 0;
}
