// Any body as what a server answers an agent: read or refused, and what was read writes itself again.
// links: model
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/json.hpp"
#include "model/wire.hpp"

namespace {

template <class T>
void read(std::string_view text) {
  const auto value = sickbay::from_json_text<T>(text);
  if (value && !sickbay::from_json_text<T>(sickbay::to_json_text(*value))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read<sickbay::wire::HelloReply>(text);
  read<sickbay::wire::HeartbeatReply>(text);
  read<sickbay::wire::BatchReply>(text);
  return 0;
}
