// links: rules
// A log of lines, read with one context: findings are complete and their JSON is valid UTF-8.
#include <cstdlib>

#include "base/text.hpp"
#include "model/json.hpp"
#include "rules/kernel_log.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace sickbay;
  static const rules::KernelLog log = rules::KernelLog::built_in();
  rules::Context context("boot");
  context.allow_injection = true;
  for (const std::string_view line : split(std::string_view(reinterpret_cast<const char*>(data), size), '\n')) {
    const auto record = rules::parse_line(line);
    if (!record) continue;
    for (const Finding& finding : log.read(*record, context)) {
      if (finding.sentence.empty() || finding.fault.name.empty() || !is_utf8(to_json_text(finding))) std::abort();
    }
  }
  return 0;
}
