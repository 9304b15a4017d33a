// links: model
// Bodies from outside, read as each thing that a client sends: no crash, and what was read writes and reads back.
#include <cstdint>
#include <cstdlib>

#include "model/json.hpp"
#include "model/policy.hpp"
#include "model/wire.hpp"

namespace {

template <class T>
void read(const sickbay::json::value& value) {
  const auto first = sickbay::from_json<T>(value);
  if (!first) return;
  const auto again = sickbay::from_json_text<T>(sickbay::to_json_text(*first), sickbay::Reading::strict);
  if (!again || sickbay::to_json_text(*again) != sickbay::to_json_text(*first)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto value = sickbay::parse_json({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  read<sickbay::wire::Hello>(*value);
  read<sickbay::wire::Batch>(*value);
  read<sickbay::wire::Heartbeat>(*value);
  read<sickbay::Policy>(*value);
  return 0;
}
