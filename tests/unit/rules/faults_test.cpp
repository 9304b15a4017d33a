// The fault table of product.md 3.3, row by row, and an operator's rows over it.
#include "rules/faults.hpp"

#include <gtest/gtest.h>

namespace sickbay::rules {
namespace {

struct Expected {
  std::string_view name, code;
  std::optional<Severity> severity;
  std::optional<Action> action;
  Duration holds_for;
  ClearsOn clears;
  Duration quiet_for{};
};

constexpr auto kCritical = Severity::critical, kWarning = Severity::warning, kInfo = Severity::info;

TEST(FaultTable, EveryRowIsAsTheProductSays) {
  const FaultTable table = default_faults();
  const std::vector<Expected> rows = {
      {"DmesgGpuFallenOffBus", "", kCritical, Action::migrate, seconds{30}, ClearsOn::reboot},
      {"GpuMissing", "", kCritical, Action::migrate, seconds{30}, ClearsOn::condition},
      {"DmesgXidError", "79", kCritical, Action::migrate, seconds{30}, ClearsOn::reboot},
      {"DmesgXidError", "54", std::nullopt, std::nullopt, seconds{60}, ClearsOn::reboot},
      {"DmesgXidError", "149", std::nullopt, std::nullopt, seconds{60}, ClearsOn::reboot},
      {"DmesgXidError", "31", kInfo, Action::none, {}, ClearsOn::quiet, minutes{10}},
      {"DmesgXidError", "63", kInfo, Action::none, {}, ClearsOn::quiet, minutes{10}},
      {"NvSwitchSxidError", "20034", std::nullopt, std::nullopt, seconds{60}, ClearsOn::reboot},
      {"GpuEccDoubleBitError", "", kCritical, Action::reboot, seconds{60}, ClearsOn::condition},
      {"GpuRowRemapFailure", "", kCritical, Action::reboot, seconds{60}, ClearsOn::condition},
      {"GpuRowRemapPending", "", kWarning, Action::reboot, minutes{10}, ClearsOn::reboot},
      {"GpuSmClockThermalThrottle", "", kCritical, Action::migrate, minutes{5}, ClearsOn::load, minutes{15}},
      {"GpuPcieReplayRateHigh", "", kCritical, Action::migrate, minutes{10}, ClearsOn::load, minutes{30}},
      {"IBRailsDownOrDegraded", "", kCritical, Action::migrate, minutes{2}, ClearsOn::condition, minutes{10}},
      {"HostIBLinkDown", "", kCritical, Action::migrate, minutes{2}, ClearsOn::condition, minutes{10}},
      {"IBLinkFlapping", "", kCritical, Action::migrate, {}, ClearsOn::quiet, hours{6}},
      {"NpdCperHardwareErrorFatal", "", kCritical, Action::reprovision, seconds{60}, ClearsOn::reboot},
      {"EdacUncorrectable", "", kCritical, Action::reprovision, seconds{60}, ClearsOn::reboot},
      {"PcieAerFatal", "", kCritical, Action::reprovision, seconds{60}, ClearsOn::reboot},
      {"NpdReadonlyFilesystem", "", kCritical, Action::reprovision, seconds{60}, ClearsOn::condition},
      {"NpdXfsShutdown", "", kCritical, Action::reprovision, seconds{60}, ClearsOn::condition},
      {"NpdKernelDeadlock", "", kCritical, Action::reboot, minutes{5}, ClearsOn::reboot},
      {"KernelOops", "", kCritical, Action::reboot, minutes{5}, ClearsOn::reboot},
      {"KernelSoftLockup", "", kCritical, Action::reboot, minutes{5}, ClearsOn::reboot},
      {"AmdGpuUncorrectable", "", kCritical, Action::reboot, seconds{60}, ClearsOn::reboot},
      {"AmdGpuResetFailed", "", kCritical, Action::reboot, seconds{60}, ClearsOn::reboot},
      {"GaudiDeviceLost", "", kCritical, Action::migrate, seconds{60}, ClearsOn::reboot},
      {"NicHealthCompromised", "", kCritical, Action::migrate, seconds{60}, ClearsOn::reboot},
      {"NpdFrequentKubeletRestart", "", kWarning, Action::reboot, minutes{10}, ClearsOn::quiet, minutes{30}},
      {"NpdFrequentContainerdRestart", "", kWarning, Action::reboot, minutes{10}, ClearsOn::quiet, minutes{30}},
      {"NpdFrequentUnregisterNetDevice", "", kWarning, Action::reboot, minutes{10}, ClearsOn::quiet, minutes{30}},
      {"KubeNodeMemoryPressure", "", kWarning, Action::reboot, minutes{10}, ClearsOn::condition},
      {"KubeNodePIDPressure", "", kWarning, Action::reboot, minutes{10}, ClearsOn::condition},
      {"KubeNodeNotReady", "", kCritical, Action::reboot, minutes{10}, ClearsOn::condition},
      {"HostUnreachable", "", kCritical, Action::reboot, minutes{10}, ClearsOn::condition},
      {"AgentSilent", "", kWarning, Action::none, minutes{10}, ClearsOn::condition},
      {"KubeNodeDiskPressure", "", kWarning, Action::none, minutes{10}, ClearsOn::condition},
      {"SlurmNodeUnavailable", "", kWarning, Action::none, minutes{2}, ClearsOn::condition},
      {"ActiveCheckFailed", "dcgm-diag", kCritical, Action::reprovision, {}, ClearsOn::check},
      {"StartupScriptFailed", "", kWarning, Action::none, {}, ClearsOn::condition},
      {"DetectorBroken", "", kWarning, Action::none, {}, ClearsOn::condition}};
  for (const Expected& row : rows) {
    const FaultRule found = table.find({std::string(row.name), std::string(row.code)});
    const std::string what = std::string(row.name) + "/" + std::string(row.code);
    EXPECT_EQ(found.severity, row.severity) << what;
    EXPECT_EQ(found.action, row.action) << what;
    EXPECT_EQ(found.holds_for, row.holds_for) << what;
    EXPECT_EQ(found.clears, row.clears) << what;
    EXPECT_EQ(found.quiet_for, row.quiet_for) << what;
  }
}

TEST(FaultTable, XidsOfTheResetAndRestartBucketsReboot) {
  const FaultTable table = default_faults();
  for (const int code : {46, 48, 62, 64, 74, 95, 109, 110, 119, 120, 136, 140, 143, 151, 155, 156, 158}) {
    const FaultRule row = table.find({"DmesgXidError", std::to_string(code)});
    EXPECT_EQ(row.action, Action::reboot) << code;
    EXPECT_EQ(row.severity, Severity::critical) << code;
    EXPECT_EQ(row.holds_for, seconds{60}) << code;
  }
}

TEST(FaultTable, TheSecondTimeWeighsMoreWhereTheProductSaysSo) {
  const FaultTable table = default_faults();
  for (const std::string name :
       {"NpdCperHardwareErrorFatal", "EdacUncorrectable", "PcieAerFatal", "ActiveCheckFailed"}) {
    EXPECT_EQ(table.find({name, "x"}).action_again, Action::migrate) << name;
  }
  EXPECT_TRUE(table.find({"DmesgXidError", "79"}).power_cycle_where_enabled);
  EXPECT_TRUE(table.find({"NicHealthCompromised", ""}).power_cycle_where_enabled);
  EXPECT_TRUE(table.find({"GpuRowRemapPending", ""}).always_ask);
  EXPECT_GT(table.find({"KernelSoftLockup", ""}).repeats, 1U);
}

TEST(FaultTable, NobodyButAPersonRemoves) {
  for (const FaultRule& row : default_faults().rules) {
    EXPECT_NE(row.action, Action::remove) << row.name;
    EXPECT_NE(row.action_again, Action::remove) << row.name;
    EXPECT_NE(row.action, Action::power_cycle) << row.name;
  }
}

TEST(FaultTable, AnOperatorsRowsGoOverTheShippedOnes) {
  FaultRule never;
  never.name = "DmesgXidError", never.code = "119", never.action = Action::reprovision;
  FaultRule own;
  own.name = "MyDetector", own.action = Action::migrate;
  const FaultTable table = default_faults().with({never, own});
  EXPECT_EQ(table.find({"DmesgXidError", "119"}).action, Action::reprovision);
  EXPECT_EQ(table.find({"DmesgXidError", "120"}).action, Action::reboot);
  EXPECT_EQ(table.find({"MyDetector", "any"}).action, Action::migrate);
  EXPECT_EQ(table.rules.size(), default_faults().rules.size() + 1);
}

}  // namespace
}  // namespace sickbay::rules
