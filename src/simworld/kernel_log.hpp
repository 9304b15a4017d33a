// The kernel logs of simulated nodes: what a healthy boot prints, and what each kind of fault prints. The lines have
// the formats of the real drivers (NVIDIA's NVRM and nvswitch messages, mlx5_core, XFS, the kernel's own oops and EDAC
// texts), with made-up numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/words.hpp"

namespace sickbay::simworld {

// One record of a kernel log.
struct LogRecord {
  std::uint64_t sequence = 0;
  std::int64_t since_boot_us = 0;
  int level = 6;  // of syslog; the facility is always 0, the kernel
  std::string text;
};

// As /dev/kmsg gives it: "LEVEL,SEQUENCE,MICROSECONDS,-;TEXT".
std::string raw_record(const LogRecord& record);

struct Line {
  int level;
  std::string text;
};

// What a fault kind is. `cured_by`: the lightest action after which it stays away.
struct FaultKind {
  std::string_view name;
  Action cured_by;
  std::string_view what;  // for people
};
const std::vector<FaultKind>& fault_kinds();
const FaultKind* find_fault_kind(std::string_view name);

std::vector<Line> healthy_boot(std::uint32_t gpus);
std::vector<Line> fault_lines(std::string_view kind, std::uint32_t gpu);
// The PCI address of a node's GPU 0, 1, ... as drivers print it, without the function.
std::string gpu_address(std::uint32_t gpu);

}  // namespace sickbay::simworld
