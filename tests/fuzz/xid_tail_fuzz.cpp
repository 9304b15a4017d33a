// links: rules
// The hand-written readers of NVIDIA's lines.
#include <cstdlib>
#include <string>

#include "rules/xid_line.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace sickbay::rules;
  const std::string tail(reinterpret_cast<const char*>(data), size);
  parse_nvlink5(tail);
  parse_recovery(tail);
  parse_sxid(tail);
  parse_sxid("nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 12028, " + tail);
  for (const std::string& line : {tail, "NVRM: Xid " + tail, "NVRM: Xid (PCI:0000:3b:00): 149, " + tail}) {
    const auto xid = parse_xid(line);
    if (xid && (xid->device.empty() || xid->code == 0 || xid->code > 9999)) std::abort();
  }
  return 0;
}
