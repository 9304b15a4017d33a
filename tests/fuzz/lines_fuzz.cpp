// Any bytes in any pieces: records come out bounded, and the same whatever the pieces were.
// links: agent
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/lines.hpp"

namespace {

std::string cut(std::string_view bytes, std::size_t piece) {
  std::string all;
  sickbay::agent::Lines lines([&](std::string_view record, std::uint64_t line) {
    if (record.size() > sickbay::agent::Lines::kMaxRecord + 1) std::abort();
    all += std::to_string(line) + ":" + std::string(record) + "|";
  });
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) lines.feed(bytes.substr(0, piece));
  lines.end();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (cut(bytes, size + 1) != cut(bytes, 1 + size % 7)) std::abort();
  return 0;
}
