// Xid lines in all their forms, and what becomes of them.
#include <gtest/gtest.h>

#include "rules/kernel_log.hpp"

namespace sickbay::rules {
namespace {

const KernelLog& rule_log() {
  static const KernelLog log = KernelLog::built_in();
  return log;
}

std::vector<Finding> read(std::string_view line, Context& context) {
  const auto record = parse_line(line);
  EXPECT_TRUE(record) << record.error().message;
  return record ? rule_log().read(*record, context) : std::vector<Finding>{};
}

Finding only(std::string_view line) {
  Context context("boot-1");
  const auto findings = read(line, context);
  EXPECT_EQ(findings.size(), 1U) << line;
  return findings.empty() ? Finding{} : findings.front();
}

TEST(Xid, ASilentGspNeedsAReboot) {
  const Finding finding = only(
      "4,4471,3023054882,-;NVRM: Xid (PCI:0000:2a:00): 119, pid=12, name=python3, Timeout after 6s of waiting for RPC "
      "response from GPU1 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x8).");
  EXPECT_EQ(finding.fault.text(), "DmesgXidError/119");
  EXPECT_EQ(finding.device, "0000:2a:00.0");
  EXPECT_EQ(finding.severity, Severity::critical);
  EXPECT_EQ(finding.action, Action::reboot);
  EXPECT_EQ(finding.authority, Authority::catalogue);
  EXPECT_FALSE(finding.joins);
  EXPECT_EQ(finding.since_boot_us, 3023054882);
  EXPECT_EQ(finding.evidence.at("name"), "python3");
  EXPECT_NE(finding.sentence.find("stopped answering its driver"), std::string::npos) << finding.sentence;
}

TEST(Xid, TheSameRecordIsTheSameFindingForEver) {
  const std::string_view line = "4,7,9,-;NVRM: Xid (PCI:0000:2a:00): 46";
  EXPECT_EQ(only(line).id, only(line).id);
  EXPECT_EQ(only(line).id.size(), 64U);
  EXPECT_NE(only(line).id, only("4,8,9,-;NVRM: Xid (PCI:0000:2a:00): 46").id);
}

TEST(Xid, WhatProgramsWriteToTheKernelLogDoesNotCount) {
  const std::string_view line = "11,7,9,-;NVRM: Xid (PCI:0000:2a:00): 79, GPU has fallen off the bus.";
  Context context("boot-1");
  EXPECT_TRUE(read(line, context).empty());
  context.allow_injection = true;
  EXPECT_EQ(read(line, context).size(), 1U);
}

TEST(Xid, EveryFormOfTheLineIsRead) {
  for (const std::string_view line :
       {"NVRM: Xid (PCI:0000:4d:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
        "[  123.456] NVRM: Xid (0000:4d:00): 79, GPU has fallen off the bus",
        "May  1 10:00:00 gpu-7 kernel: [ 12.5] NVRM: Xid (PCI:0000:4d:00): 79",
        "kern  :err   : 2026-05-01T10:00:00,000000+00:00 NVRM: Xid (PCI:0000:4d:00.0): 79, pid=4",
        "<3>[    9.1][  T44] NVRM: Xid (PCI:00000000:4d:00): 79, x",
        "NVRM: Xid (PCI:0000:4d:00 GPU-I:03): 79, pid=1"}) {
    const Finding finding = only(line);
    EXPECT_EQ(finding.fault.text(), "DmesgXidError/79") << line;
    EXPECT_EQ(finding.device, "0000:4d:00.0") << line;
    EXPECT_EQ(finding.action, Action::migrate) << line;
    EXPECT_EQ(finding.authority, Authority::exact_code) << line;
  }
}

TEST(Xid, BrokenLinesSayNothing) {
  for (const std::string_view line :
       {"NVRM: Xid error: 79, fallen", "NVRM: Xid (PCI:0000:6c:00): abc, pid=1", "NVRM: Xid (PCI:0000:6c:00): 0, none",
        "NVRM: Xid (PCI:0000:6c:00): 4294967295", "NVRM: Xid (PCI:zz): 79", "NVRM: Xid (PCI:0000:6c:00) 79",
        "nvrm: xid (PCI:0000:2a:00): 79", "the text NVRM: Xid (PCI:0000:6c:00): 79 inside another",
        "NVRM: Xid (PCI:0000:6c:00): 79abc"}) {
    Context context("boot-1");
    EXPECT_TRUE(read(line, context).empty()) << line;
  }
}

TEST(Xid, AnUnknownCodeWarnsAndAsks) {
  const Finding finding = only("NVRM: Xid (PCI:0000:6c:00): 998, pid=88, name=job");
  EXPECT_EQ(finding.severity, Severity::warning);
  EXPECT_EQ(finding.action, Action::none);
  EXPECT_EQ(finding.authority, Authority::unknown);
}

TEST(Xid, APreemptedChannelJoinsTheErrorThatCausedIt) {
  Context context("boot-1");
  read("4,1,1000000,-;NVRM: Xid (PCI:0000:2a:00): 119, pid=1, name=a, Timeout", context);
  const auto soon = read("4,2,9000000,-;NVRM: Xid (PCI:0000:2a:00): 45, pid=1, name=a, Ch 00000001", context);
  const auto other = read("4,3,9000000,-;NVRM: Xid (PCI:0000:5e:00): 45, pid=1, name=a, Ch 00000001", context);
  const auto late = read("4,4,99000000,-;NVRM: Xid (PCI:0000:2a:00): 45, pid=1, name=a, Ch 00000001", context);
  EXPECT_TRUE(soon.at(0).joins);
  EXPECT_FALSE(other.at(0).joins);
  EXPECT_FALSE(late.at(0).joins);
  EXPECT_TRUE(only("NVRM: Xid (PCI:0000:99:00): 45, pid=1, name=p, Ch 00000001 caused by previous Xid 145").joins);
}

TEST(Xid, TheTwinLineOfALostGpuJoinsWhicheverComesFirst) {
  Context context("boot-1");
  EXPECT_FALSE(read("NVRM: Xid (PCI:0000:93:00): 79, GPU has fallen off the bus.", context).at(0).joins);
  EXPECT_TRUE(read("NVRM: GPU 0000:93:00.0: GPU has fallen off the bus.", context).at(0).joins);
  const Finding alone = only("NVRM: GPU 0000:93:00.0: GPU has fallen off the bus.");
  EXPECT_EQ(alone.fault.text(), "DmesgGpuFallenOffBus");
  EXPECT_FALSE(alone.joins);
}

TEST(Xid, ALostGpuSaidInOneRecordOrInThreeIsTheSame) {
  EXPECT_EQ(only("NVRM: The NVIDIA GPU 0000:a9:00.0\nNVRM: (PCI ID: 10de:2330) installed in this system has\nNVRM: "
                 "fallen off the bus and is not responding to commands.")
                .device,
            "0000:a9:00.0");
  Context context("boot-1");
  EXPECT_TRUE(read("NVRM: The NVIDIA GPU 0000:a9:00.0", context).empty());
  EXPECT_TRUE(read("NVRM: (PCI ID: 10de:2330) installed in this system has", context).empty());
  const auto last = read("NVRM: fallen off the bus and is not responding to commands.", context);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].device, "0000:a9:00.0");
  EXPECT_EQ(last[0].action, Action::migrate);
}

TEST(Xid, TheRecoveryActionOfTheDriverIsFollowed) {
  const Finding reset = only(
      "NVRM: Xid (PCI:0009:02:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU "
      "Reset Required)");
  EXPECT_EQ(reset.action, Action::reboot);
  EXPECT_EQ(reset.authority, Authority::recovery_action);
  EXPECT_EQ(reset.kind, FindingKind::fault);
  const Finding over = only(
      "NVRM: Xid (PCI:0009:02:00): 154, GPU recovery action changed from 0x1 (GPU Reset Required) "
      "to 0x0 (None)");
  EXPECT_EQ(over.kind, FindingKind::clear);
  EXPECT_EQ(over.action, Action::none);
  EXPECT_EQ(only("NVRM: Xid (PCI:0000:02:00): 154 (").action, Action::none);
}

TEST(Xid, NvlinkErrorsAreDecodedByTheDriversBranch) {
  const std::string_view line =
      "NVRM: Xid (PCI:0000:08:00): 145, RLW_REMAP Nonfatal XC1 i0 Link 10 (0x00000082 0x00000040 0x00000000)";
  Context old_driver("boot-1"), new_driver("boot-1");
  read("NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024", old_driver);
  read("NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build", new_driver);
  EXPECT_EQ(old_driver.driver_branch, 550);
  EXPECT_EQ(new_driver.driver_branch, 580);
  EXPECT_EQ(read(line, old_driver).at(0).action, Action::reboot);
  EXPECT_EQ(read(line, old_driver).at(0).authority, Authority::decode_table);
  const Finding by_word = read(line, new_driver).at(0);  // no row there: the word counts
  EXPECT_EQ(by_word.action, Action::none);
  EXPECT_EQ(by_word.authority, Authority::catalogue);
  EXPECT_EQ(by_word.evidence.at("link"), 10);
}

}  // namespace
}  // namespace sickbay::rules
