// Taking NVIDIA's lines apart. By hand rather than by patterns: the forms are few and old, process names may hold
// anything, and this runs on the most important line there is. Only shapes are read here; nvidia.hpp gives meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sickbay::rules {

// "NVRM: Xid (PCI:0000:2a:00): 119, pid=12, name=python3, Timeout ..." and its older and shorter forms.
struct XidLine {
  std::string device;          // normalised; never empty
  std::string gpu_instance;    // of a MIG device: the number after "GPU-I:"
  std::uint32_t code = 0;      // 1 to 9999
  std::string_view pid, name;  // as printed, without quotes; "<unknown>" is left out
  std::string_view tail;       // what follows
};
// The line must begin with "NVRM: Xid": no process name or later text can pretend to be one.
std::optional<XidLine> parse_xid(std::string_view line);

// The tail of Xid 144-150: "NETIR_LINK_EVT  Fatal   XC0 i0 Link 09 (0x025525c6 0x00000000 ...)".
struct Nvlink5Line {
  std::string_view unit;             // may hold '/'
  std::string_view word;             // "Fatal" or "Nonfatal"
  std::optional<int> link;           // -1 where the event is of no one link
  std::vector<std::uint32_t> words;  // intrinfo, error_status, ...; up to 8
};
std::optional<Nvlink5Line> parse_nvlink5(std::string_view tail);

// The tail of Xid 154: "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)".
struct RecoveryLine {
  std::uint32_t from = 0, to = 0;
  std::string_view words;  // "GPU Reset Required"
};
std::optional<RecoveryLine> parse_recovery(std::string_view tail);

// "nvidia-nvswitch3: SXid (PCI:0000:4d:00.0): 12024, Non-fatal, Link 7 egress non-posted PRIV error (First)".
struct SxidLine {
  std::string device;
  std::string_view index;  // of the switch, where printed
  std::uint32_t code = 0;
  std::string_view word;  // "Fatal", "Non-fatal" or empty
  std::optional<int> link;
  std::string_view detail;
  bool secondary = false;  // a data line of an event that another line reports
};
std::optional<SxidLine> parse_sxid(std::string_view line);

// The number after `key` (such as "pid=" or "caused by previous Xid "), nothing where there is none.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key);

}  // namespace sickbay::rules
