// The rule pack: its own test lines, labelled lines, and what must hold whatever the log says.
#include "rules/kernel_log.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "model/json.hpp"
#include "rules/expectation.hpp"
#include "rules/faults.hpp"
#include "rules/yaml.hpp"

namespace sickbay::rules {
namespace {

const KernelLog& shipped() {
  static const KernelLog log = KernelLog::built_in();
  return log;
}

std::vector<Finding> read(std::string_view text, Context& context) {
  const auto record = parse_line(text);
  return record ? shipped().read(*record, context) : std::vector<Finding>{};
}

std::vector<Finding> read(std::string_view text) {
  Context context("boot");
  return read(text, context);
}

KernelLog from_files() {
  auto pack = load_directory(SICKBAY_SOURCE_DIR "/rules");
  EXPECT_TRUE(pack) << pack.error().message;
  auto log = KernelLog::load(pack ? std::move(*pack) : Pack{});
  EXPECT_TRUE(log) << log.error().message;
  return std::move(*log);
}

TEST(RulePack, EveryRuleTakesAndLeavesTheLinesItSays) {
  const auto status = check_rule_tests(from_files());
  EXPECT_TRUE(status) << status.error().message;
}

TEST(RulePack, WhatIsEmbeddedIsWhatTheFilesSay) {
  const KernelLog files = from_files();
  ASSERT_EQ(shipped().pack().rules.size(), files.pack().rules.size());
  EXPECT_EQ(to_json_text(shipped().pack().faults), to_json_text(files.pack().faults));
  EXPECT_EQ(to_json_text(shipped().pack().xids), to_json_text(files.pack().xids));
}

TEST(RulePack, EveryRuleThatInformsOrIsCriticalHasARowInTheFaultTable) {
  std::set<std::string> rows;
  for (const FaultRule& row : default_faults().rules) rows.insert(row.name);
  for (const Rule& rule : shipped().pack().rules) {
    if (rule.kind != FindingKind::fault || rule.severity == Severity::warning) continue;
    EXPECT_TRUE(rows.contains(rule.name)) << rule.id << " would only warn: " << rule.name;
  }
}

TEST(RulePack, OnlyRulesWithARowAct) {
  for (const Rule& rule : shipped().pack().rules) {
    const FaultRule row = default_faults().find({rule.name, rule.code});
    if (rule.kind != FindingKind::fault || rule.action == Action::none || rule.name == "NvSwitchSxidError") continue;
    EXPECT_EQ(row.action.value_or(Action::none), rule.action) << rule.id;
  }
}

TEST(RulePack, TheLabelledCorpusIsClassifiedAsExpected) {
  std::ifstream in(SICKBAY_SOURCE_DIR "/../shared/fixtures/kmsg_samples.tsv", std::ios::binary);
  if (!in) GTEST_SKIP() << "../shared/fixtures is not here";
  std::stringstream text;
  text << in.rdbuf();
  std::string differences;
  const auto tally = judge_table(shipped(), text.view(), [&](const Difference& row) {
    differences += std::to_string(row.line_number) + ": " + row.why + " <= " + row.line + "\n";
  });
  ASSERT_TRUE(tally) << tally.error().message;
  EXPECT_GT(tally->rows, 500U);
  EXPECT_EQ(tally->false_positives, 0U) << differences;
  EXPECT_GE(tally->ok * 100, tally->rows * 98) << differences;
}

TEST(KernelLog, AlertNamesAreThoseOfTheFaultTable) {
  const auto name = [](std::string_view line) {
    const auto findings = read(line);
    return findings.empty() ? std::string("nothing") : findings[0].fault.text() + " " + findings[0].device;
  };
  EXPECT_EQ(name("XFS (loop0): Filesystem has been shut down due to log error (0x2)."), "NpdXfsShutdown loop0");
  EXPECT_EQ(name("EXT4-fs (sdc2): Remounting filesystem read-only"), "NpdReadonlyFilesystem sdc2");
  EXPECT_EQ(name("INFO: task containerd-shim:31877 blocked for more than 120 seconds."), "NpdKernelDeadlock ");
  EXPECT_EQ(name("BUG: kernel NULL pointer dereference, address: 0000000000000030"), "KernelOops ");
  EXPECT_EQ(name("watchdog: BUG: soft lockup - CPU#11 stuck for 24s! [GC Thread#3:7121]"), "KernelSoftLockup ");
  EXPECT_EQ(name("{1}[Hardware Error]: event severity: fatal"), "NpdCperHardwareErrorFatal ");
  EXPECT_EQ(name("EDAC MC0: 1 UE memory read error on CPU_SrcID#1_MC#1_Chan#0_DIMM#1"), "EdacUncorrectable ");
  EXPECT_EQ(name("pcieport 0000:00:05.1: AER: Uncorrected (Fatal) error received: 0000:02:00.0"),
            "PcieAerFatal 0000:02:00.0");
  EXPECT_EQ(name("amdgpu 0000:4d:00.0: 3 new uncorrectable hardware errors detected in umc block"),
            "AmdGpuUncorrectable 0000:4d:00.0");
  EXPECT_EQ(name("amdgpu 0000:4d:00.0: amdgpu: GPU reset(2) failed"), "AmdGpuResetFailed 0000:4d:00.0");
  EXPECT_EQ(name("habanalabs hl4: Device heartbeat failed! PCI link is broken"), "GaudiDeviceLost hl4");
  EXPECT_EQ(name("mlx5_core 0000:1d:00.0: poll_health:812:(pid 0): device's health compromised - reached miss count"),
            "NicHealthCompromised 0000:1d:00.0");
  EXPECT_EQ(name("unregister_netdevice: waiting for eth3 to become free. Usage count = 1"),
            "NpdFrequentUnregisterNetDevice eth3");
  EXPECT_EQ(name("nvidia-nvswitch0: SXid (PCI:0000:b7:00.0): 24006, Fatal, Link 9 sourcetrack timeout error"),
            "NvSwitchSxidError/24006 0000:b7:00.0");
}

TEST(KernelLog, NearMissesStaySilent) {
  for (const std::string_view line :
       {"Out of memory: Killed process 5150 (NVRM: Xid (PCI) total-vm:1024kB",
        "amdgpu 0000:b7:00.0: amdgpu: no uncorrectable hardware errors detected in umc block",
        "EXT4-fs (sdc2): re-mounted 0f3cd65a r/w. Quota mode: none.", "nvidia-nvswitch2: open (major=235)",
        "NVRM: GPU at PCI:0000:2a:00: GPU-455d8f70-2051-db6c-0430-ffc457bff834", "[drm] Fault: XFS (sda) is fine",
        "my-app[7]: EDAC MC0: 1 UE memory read error on DIMM_A",
        "IPv6: ADDRCONF(NETDEV_CHANGE): ens5: link becomes ready",
        "pcieport 0000:00:05.1: AER: device recovery successful", "traps: python3[44] general protection fault ip:7f00",
        "NVRM: The NVIDIA GPU somewhere.0\nNVRM: fallen off the bus and is not responding to commands."}) {
    for (const Finding& finding : read(line)) {
      EXPECT_EQ(finding.severity, Severity::info) << line << " -> " << finding.fault.text();
    }
  }
}

TEST(KernelLog, AProgramsLineNeverPassesForTheKernels) {
  EXPECT_TRUE(read("May  5 10:00:00 host evil[6]: NVRM: Xid (PCI:0000:4d:00): 79, GPU has fallen off").empty());
  EXPECT_TRUE(read("11,1,1,-;XFS (sdc2): I/O Error Detected. Shutting down filesystem").empty());
  EXPECT_TRUE(read("30,1,1,-;systemd[1]: kubelet.service: Failed with result 'exit-code'.").empty());
  EXPECT_EQ(read("May  5 10:00:00 host systemd[1]: kubelet.service: Failed with result 'exit-code'.").size(), 1U);
}

TEST(KernelLog, OneKillOfTheOomKillerIsOneFinding) {
  Context context("boot");
  std::size_t kills = 0;
  for (const std::string_view line :
       {"[  10.1] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=985",
        "[  10.1] "
        "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/a,task_memcg=/a,"
        "task=python3,pid=99,uid=0",
        "[  10.2] Memory cgroup out of memory: Killed process 99 (python3) total-vm:1kB, anon-rss:1kB"}) {
    for (const Finding& finding : read(line, context)) kills += finding.kind == FindingKind::fault;
  }
  EXPECT_EQ(kills, 1U);
}

TEST(KernelLog, WhoCrashedIsSaidOnlyWhileACrashIsTold) {
  constexpr std::string_view kTask = "CPU: 3 PID: 2210 Comm: kworker/3:1 Tainted: P           OE      6.8.0-45-generic";
  Context context("boot");
  EXPECT_TRUE(read(kTask, context).empty());
  read("BUG: kernel NULL pointer dereference, address: 0000000000000030", context);
  read("#PF: supervisor read access in kernel mode", context);
  const auto task = read(kTask, context);
  ASSERT_EQ(task.size(), 1U);
  EXPECT_TRUE(task[0].joins);
  EXPECT_EQ(task[0].kind, FindingKind::note);
  EXPECT_EQ(task[0].fault.name, "KernelOops");
  EXPECT_EQ(task[0].evidence.at("comm"), "kworker/3:1");
  EXPECT_TRUE(read(kTask, context).empty());
}

TEST(KernelLog, AnNfsServerThatAnswersAgainClearsItsFault) {
  const auto down = read("nfs: server 10.9.8.7 not responding, still trying");
  const auto up = read("nfs: server 10.9.8.7 OK");
  ASSERT_EQ(down.size(), 1U);
  ASSERT_EQ(up.size(), 1U);
  EXPECT_EQ(up[0].kind, FindingKind::clear);
  EXPECT_EQ(up[0].fault, down[0].fault);
  EXPECT_EQ(up[0].device, down[0].device);
}

TEST(KernelLog, EvidenceSaysWhereItCameFrom) {
  const auto findings = read(
      "3,2305,4055554887,-;nvme nvme6: I/O tag 41 (7029) opcode 0x2 (Admin Cmd) QID 0 timeout, reset "
      "controller");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].detector, "kernel-log");
  EXPECT_EQ(findings[0].boot_id, "boot");
  EXPECT_EQ(findings[0].evidence.at("sequence"), 2305);
  EXPECT_EQ(findings[0].evidence.at("level"), 3);
  EXPECT_EQ(findings[0].evidence.at("rule"), "nvme-timeout");
  EXPECT_EQ(findings[0].evidence.at("class"), "nvme_controller_timeout");
  EXPECT_TRUE(findings[0].evidence.at("message").as_string().starts_with("nvme nvme6"));
}

// What must hold for any finding of any line.
void expect_sound(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    RC_ASSERT(!finding.sentence.empty());
    RC_ASSERT(!finding.fault.name.empty());
    RC_ASSERT(is_utf8(to_json_text(finding)));
    RC_ASSERT(finding.id.size() == 64U);
    RC_ASSERT(finding.device.size() <= 256U);
    RC_ASSERT(finding.sentence.size() < 4096U);
  }
}

RC_GTEST_PROP(KernelLogProperty, AnyBytesAreReadWithoutHarm, (const std::string& bytes)) {
  Context context("boot");
  context.allow_injection = true;
  for (const auto& record : {parse_kmsg(bytes), parse_line(bytes), parse_kmsg("3,1,1,-;" + bytes)}) {
    if (!record) continue;
    RC_ASSERT(is_utf8(record->message));
    expect_sound(shipped().read(*record, context));
  }
}

// Known lines with pieces replaced, cut or repeated come closer to the rules than random bytes.
RC_GTEST_PROP(KernelLogProperty, DamagedFaultLinesAreReadWithoutHarm, ()) {
  static const std::vector<std::string> lines = [] {
    std::vector<std::string> all = {
        "NVRM: Xid (PCI:0018:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 09 (0x025525c6 0x0)",
        "NVRM: Xid (PCI:0009:02:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (x)",
        "nvidia-nvswitch3: SXid (PCI:0000:4d:00.0): 12024, Non-fatal, Link 7 egress",
        "NVRM: The NVIDIA GPU 0000:a9:00.0\nNVRM: fallen off the bus and is not responding"};
    const auto pack = load_directory(SICKBAY_SOURCE_DIR "/rules");
    for (const Rule& rule : pack ? pack->rules : std::vector<Rule>{}) {
      all.insert(all.end(), rule.match.begin(), rule.match.end());
    }
    return all;
  }();
  std::string text = *rc::gen::elementOf(lines);
  const int edits = *rc::gen::inRange(0, 4);
  for (int i = 0; i < edits && !text.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        text[at] = *rc::gen::arbitrary<char>();
        break;
      case 1:
        text.erase(at);
        break;
      case 2:
        text.insert(at, *rc::gen::arbitrary<std::string>());
        break;
      default:
        text.insert(at, text.substr(at));
    }
  }
  Context context("boot");
  const auto record = parse_line(text);
  if (record) expect_sound(shipped().read(*record, context));
}

TEST(KernelLog, AStormOfDevicesDoesNotGrowTheContextForEver) {
  Context context("boot");
  for (int i = 0; i < 5000; ++i) {
    read("NVRM: Xid (PCI:" + std::to_string(1000 + i) + ":05:00): 79, GPU has fallen off the bus.", context);
  }
  EXPECT_LE(context.devices.size(), 512U);
}

}  // namespace
}  // namespace sickbay::rules
