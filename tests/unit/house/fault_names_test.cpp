// Faults are known by their names, in rules/*.yaml and in C++, and no compiler checks that the two agree. A name that
// is wrong in one place fails in silence: what hangs on it never happens.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// Faults that rules emit and that have no row in rules/faults.yaml: they warn, ask for nothing, and are over with a new
// boot (FaultTable::find). Whoever adds a fault decides: a row, or a line here.
const std::set<std::string> kTakesTheBuiltInRow = {"AmdGpuBadPageThreshold",
                                                   "AmdGpuDeferredErrors",
                                                   "AmdGpuFirmwareSilent",
                                                   "AmdGpuPcieError",
                                                   "AmdGpuPoisonConsumed",
                                                   "AmdGpuRingTimeout",
                                                   "AmdGpuUncorrectableSuspect",
                                                   "BeyondEndOfDevice",
                                                   "BlockIoError",
                                                   "BondMemberDown",
                                                   "BtrfsError",
                                                   "BufferIoError",
                                                   "CorruptDockerImage",
                                                   "CorruptDockerOverlay2",
                                                   "CperHardwareErrorRecoverable",
                                                   "DmesgGpuProbeFailed",
                                                   "EfaDriverError",
                                                   "Ext4Error",
                                                   "FabricManagerNvlinkFailure",
                                                   "FabricManagerTopologyMismatch",
                                                   "GaudiEcc",
                                                   "GaudiHardwareInterrupt",
                                                   "GaudiTpcAssert",
                                                   "GpuResetFailed",
                                                   "KernelBug",
                                                   "KernelRcuStall",
                                                   "MachineCheck",
                                                   "MemoryFailure",
                                                   "NetdevWatchdog",
                                                   "NfsLockReclaimFailed",
                                                   "NicHighTemperature",
                                                   "NicModuleHighTemperature",
                                                   "NicProbeFailed",
                                                   "NicSlotPowerLow",
                                                   "NvLinkDetectFailed",
                                                   "NvmeControllerTimeout",
                                                   "NvmeDeviceDisabled",
                                                   "NvmePathFailure",
                                                   "PcieAerNonFatal",
                                                   "PcieAerRecoveryFailed",
                                                   "PcieContained",
                                                   "RaidDiskFailure",
                                                   "SuperblockWriteError",
                                                   "XfsCorruption",
                                                   "XfsLogIoError",
                                                   "XfsMetadataIoError"};

// Literals that look like the name of a fault and are none.
const std::map<std::string, std::string> kNoFaults = {
    {"NetworkManager", "a program that writes to the log"},
    {"KubeletReady", "a reason of Kubernetes' Ready condition"},
};

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

struct Emitted {
  std::string name, kind, severity, action, rule;
};

// The rules of rules/*.yaml, read as the text they are: this room stands beside all others.
std::vector<Emitted> emitted() {
  std::vector<Emitted> rules;
  for (const auto& file : fs::directory_iterator(fs::path(SICKBAY_SOURCE_DIR) / "rules")) {
    if (file.path().extension() != ".yaml") continue;
    std::istringstream lines(read(file.path()));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  - id: ")) rules.push_back({"", "fault", "warning", "none", line.substr(8)});
      if (rules.empty() || !line.starts_with("    ") || line.starts_with("     ")) continue;
      const auto value = [&](std::string_view key, std::string& into) {
        if (line.starts_with("    " + std::string(key) + ": ")) into = line.substr(key.size() + 6);
      };
      value("name", rules.back().name);
      value("kind", rules.back().kind);
      value("severity", rules.back().severity);
      value("action", rules.back().action);
    }
  }
  return rules;
}

std::set<std::string> rows() {
  const auto names = matches(read(fs::path(SICKBAY_SOURCE_DIR) / "rules/faults.yaml"), R"(\{name: (\w+),)");
  return {names.begin(), names.end()};
}

std::set<std::string> known() {
  std::set<std::string> names = rows();
  for (const Emitted& rule : emitted()) names.insert(rule.name);
  return names;
}

// "Amd" of AmdGpuDeviceLost, "IBLink" of IBLinkFlapping.
std::string family(const std::string& name) {
  const auto words = matches(name, "^([A-Z]+[a-z0-9]*)");
  return words.empty() ? "" : words.front();
}

TEST(House, EveryFaultNamedInCppIsEmittedByARuleOrHasARow) {
  const std::set<std::string> names = known();
  ASSERT_GT(names.size(), 100U);
  std::set<std::string> families;
  for (const std::string& name : names) families.insert(family(name));
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SICKBAY_SOURCE_DIR) / "src")) {
    const auto extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".hpp") continue;
    // Two words or more, capitalised, the first as in a fault's name: "AmdGpuLost", "DmesgXidError/79".
    for (const std::string& name : matches(read(entry.path()), R"re("((?:[A-Z]+[a-z0-9]+){2,})(?:/[^"]*)?")re")) {
      if (!families.contains(family(name)) || kNoFaults.contains(name)) continue;
      ++seen;
      EXPECT_TRUE(names.contains(name))
          << fs::relative(entry.path(), SICKBAY_SOURCE_DIR).string() << " names the fault " << name
          << ", but no rule of rules/*.yaml emits it and it has no row in rules/faults.yaml";
    }
  }
  EXPECT_GT(seen, 10U) << "the scan finds nothing any more";
  const std::string header = read(fs::path(SICKBAY_SOURCE_DIR) / "src/model/fault_names.hpp");
  const auto constants = matches(header, R"re( = "(\w+)")re");
  EXPECT_GT(constants.size(), 5U);
  for (const std::string& name : constants) EXPECT_TRUE(names.contains(name)) << "src/model/fault_names.hpp: " << name;
}

TEST(House, EveryFaultThatRulesEmitHasARowOrTakesTheBuiltInOneOnPurpose) {
  const std::set<std::string> table = rows();
  std::set<std::string> without;
  for (const Emitted& rule : emitted()) {
    if (rule.kind != "fault" || table.contains(rule.name)) continue;
    without.insert(rule.name);
    EXPECT_TRUE(rule.severity == "warning" && rule.action == "none")
        << "rule " << rule.rule << ": " << rule.name << " is " << rule.severity << " with action " << rule.action
        << ", but without a row in rules/faults.yaml it only warns";
  }
  EXPECT_EQ(without, kTakesTheBuiltInRow) << "give a new fault a row in rules/faults.yaml, or name it in this test";
}

// `look: NAME` in a row is of use only if the agent has a detector of that name.
TEST(House, EveryLookOfARowNamesADetectorOfTheAgent) {
  std::set<std::string> detectors;
  for (const auto& entry : fs::directory_iterator(fs::path(SICKBAY_SOURCE_DIR) / "src/agent")) {
    for (const auto& name :
         matches(read(entry.path()), R"re(string_view name\(\) const override \{ return "([^"]+)")re"))
      detectors.insert(name);
  }
  EXPECT_TRUE(detectors.contains("pci"));
  const auto looks = matches(read(fs::path(SICKBAY_SOURCE_DIR) / "rules/faults.yaml"), R"(\{name: .*, look: ([^,}]+))");
  EXPECT_GT(looks.size(), 5U);
  for (const std::string& look : looks) EXPECT_TRUE(detectors.contains(look)) << "rules/faults.yaml: look: " << look;
}

}  // namespace
