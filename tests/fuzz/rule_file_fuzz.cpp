// links: rules
// A rule file from outside: taken or refused with a reason; what is taken reads lines.
#include <boost/json/serialize.hpp>
#include <cstdlib>

#include "rules/kernel_log.hpp"
#include "rules/yaml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace sickbay;
  const auto document = rules::yaml_to_json({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  if (!document) return document.error().message.empty() ? (std::abort(), 0) : 0;
  auto pack = rules::read_pack(boost::json::serialize(*document));
  if (!pack) return 0;
  const auto log = rules::KernelLog::load(std::move(*pack));
  if (!log) return 0;
  rules::Context context("boot");
  for (const auto* line : {"NVRM: Xid (PCI:0000:3b:00): 119, pid=1, name=x, Timeout", "disk sda is on fire"}) {
    if (const auto record = rules::parse_line(line)) log->read(*record, context);
  }
  return 0;
}
