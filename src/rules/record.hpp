// Kernel records: what /dev/kmsg hands out, and the same messages as files and tools print them. A record is parsed
// whole (a message may have several lines, and dictionary lines follow it) and made valid UTF-8 once, here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace sickbay::rules {

// Where a record says it comes from. `bare` is a message without any header: a line of a test file, or of a log whose
// writer the operator vouches for; it is read as if it came from whoever may say it.
enum class Origin { kernel, program, bare };

struct Record {
  Origin origin = Origin::kernel;
  std::string program;             // of Origin::program: "systemd", "nv-fabricmanager", ...
  int facility = 0;                // 0 is the kernel itself; what programs write to /dev/kmsg has another
  int level = 6;                   // syslog severity, 0 emergency to 7 debug
  std::uint64_t sequence = 0;      // of the kernel's ring buffer
  std::int64_t since_boot_us = 0;  // the kernel's own time
  bool continued = false;          // flag 'c': a fragment of a line
  std::string message;             // whole, with its newlines, valid UTF-8
  std::vector<std::pair<std::string, std::string>> dictionary;  // SUBSYSTEM, DEVICE, ...
  std::string caller;                                           // "T1" or "C3" where the kernel says it
};

// The longest message kept; the rest is cut at a character's edge. The kernel's own limit is about 1 KiB.
constexpr std::size_t kMaxMessage = 16 * 1024;
constexpr std::size_t kMaxDictionary = 64;

// One read() of /dev/kmsg: "priority,sequence,microseconds,flags[,more];message\n KEY=VALUE\n ..." (the kernel's
// Documentation/ABI/testing/dev-kmsg). Errc::invalid when the header is not that.
Result<Record> parse_kmsg(std::string_view raw);

// A message in any of the forms it is found in: a raw record as above; a line of dmesg ("[  12.345] ...", with a
// date, with a "<6>" or "kern :warn :" prefix), of syslog or the journal ("May  1 10:00:00 host kernel: ..."), of the
// fabric manager's log, or the bare message. Several lines are one message. Errc::invalid for a raw record with a
// broken header and for empty text.
Result<Record> parse_line(std::string_view line);

}  // namespace sickbay::rules
