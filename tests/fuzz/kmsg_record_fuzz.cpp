// links: rules
// Whatever /dev/kmsg or a file hands out: a record or an error, never harm, always valid UTF-8 within its bounds.
#include <cstdlib>

#include "base/text.hpp"
#include "rules/record.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& record : {sickbay::rules::parse_kmsg(text), sickbay::rules::parse_line(text)}) {
    if (!record) continue;
    if (!sickbay::is_utf8(record->message) || record->message.size() > sickbay::rules::kMaxMessage) std::abort();
    for (const auto& [key, value] : record->dictionary) {
      if (!sickbay::is_utf8(key) || !sickbay::is_utf8(value)) std::abort();
    }
  }
  return 0;
}
