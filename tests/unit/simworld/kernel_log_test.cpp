// What simulated kernels print is what real detectors read: every fault kind is found, and a healthy boot is silent.
#include "simworld/kernel_log.hpp"

#include <gtest/gtest.h>

#include "rules/kernel_log.hpp"

namespace sickbay::simworld {
namespace {

std::vector<Finding> findings_of(const std::vector<Line>& lines) {
  static const rules::KernelLog log = rules::KernelLog::built_in();
  rules::Context context("boot-1");
  std::vector<Finding> found;
  std::uint64_t sequence = 0;
  for (const Line& line : lines) {
    const LogRecord record{sequence++, 1000, line.level, line.text};
    const auto parsed = rules::parse_kmsg(raw_record(record));
    EXPECT_TRUE(parsed) << line.text;
    if (!parsed) continue;
    for (Finding& finding : log.read(*parsed, context)) found.push_back(std::move(finding));
  }
  return found;
}

TEST(SimulatedKernelLog, EveryFaultKindIsFoundWithItsAction) {
  for (const FaultKind& kind : fault_kinds()) {
    const auto found = findings_of(fault_lines(kind.name, 2));
    ASSERT_FALSE(found.empty()) << kind.name;
    EXPECT_EQ(found.front().kind, FindingKind::fault) << kind.name;
  }
}

TEST(SimulatedKernelLog, AHealthyBootHoldsNoFault) {
  for (const Finding& finding : findings_of(healthy_boot(8))) {
    EXPECT_NE(finding.kind, FindingKind::fault) << finding.sentence;
  }
}

}  // namespace
}  // namespace sickbay::simworld
