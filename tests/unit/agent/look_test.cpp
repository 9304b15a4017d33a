// What the agent sees when it looks for itself: mounts, the PCI bus, who the machine is; and what it holds active.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "agent/active.hpp"
#include "agent/config.hpp"
#include "agent/identity.hpp"
#include "agent/mounts.hpp"
#include "agent/pci.hpp"
#include "agent/state.hpp"
#include "base/log.hpp"
#include "model/json.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace sickbay::agent {
namespace {

constexpr const char* kMountinfo =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n"
    "30 22 7:0 / /data\\040one rw,relatime shared:2 master:1 - xfs /dev/loop0 rw,attr2\n"
    "31 22 7:1 / /broken rw,relatime - ext4 /dev/loop1 rw,errors=remount-ro,emergency_ro\n"
    "32 22 253:3 / /older rw,relatime - ext4 /dev/mapper/vg-lv ro,errors=remount-ro\n"
    "33 22 7:5 / /image ro,relatime - squashfs /dev/loop5 ro\n"
    "34 22 7:6 / /asked ro,relatime - ext4 /dev/loop6 ro\n"
    "not a line of mountinfo\n";

struct Fake {
  Fake() {
    scratch.write("proc/1/mountinfo", kMountinfo);
    std::filesystem::create_directories(scratch / "sys/dev/block");
    std::filesystem::create_symlink("../../devices/virtual/block/dm-3", scratch / "sys/dev/block/253:3");
  }
  Mounts mounts(bool shut) const {
    return Mounts(scratch / "proc", scratch / "sys", [shut](const std::string&) { return shut; });
  }
  Scratch scratch;
};
const Fault kReadOnly{"NpdReadonlyFilesystem", ""}, kXfs{"NpdXfsShutdown", ""};

TEST(Mounts, AFilesystemIsSickHealthyOrGone) {
  const Fake fake;
  const Mounts healthy = fake.mounts(false), shut = fake.mounts(true);
  EXPECT_EQ(shut.look(kXfs, "loop0").state, Mounts::State::sick);
  EXPECT_EQ(shut.look(kXfs, "loop0").point, "/data one");
  EXPECT_EQ(healthy.look(kXfs, "loop0").state, Mounts::State::healthy);
  EXPECT_EQ(healthy.look(kXfs, "loop9").state, Mounts::State::gone);
  EXPECT_EQ(healthy.look(kReadOnly, "loop1").state, Mounts::State::sick) << "emergency_ro beside rw";
  EXPECT_EQ(healthy.look(kReadOnly, "dm-3").state, Mounts::State::sick) << "the kernel's name of a mapped device";
  EXPECT_EQ(healthy.look(kReadOnly, "sda1").state, Mounts::State::healthy) << "errors=remount-ro is no ro";
  EXPECT_EQ(healthy.look(kReadOnly, "").state, Mounts::State::gone);
}

TEST(Mounts, NotBeingAbleToLookIsNotHealthy) {
  const Mounts none("/nonexistent", "/nonexistent", [](const std::string&) { return false; });
  EXPECT_EQ(none.look(kXfs, "loop0").state, Mounts::State::unknown);
  EXPECT_FALSE(none.turned_read_only());
}

TEST(Mounts, OnlyWhatTheKernelTurnedReadOnlyIsAFault) {
  const Fake fake;
  const auto sick = fake.mounts(false).turned_read_only();
  ASSERT_TRUE(sick);
  ASSERT_EQ(sick->size(), 2U);
  EXPECT_EQ((*sick)[0].device, "loop1");
  EXPECT_EQ((*sick)[1].device, "dm-3");
}

RC_GTEST_PROP(Mounts, AnyTextIsReadWithoutHarm, (const std::string& text)) {
  for (const Mount& mount : parse_mountinfo(text + " 1 2 3 4 5 - ext4 " + text + "\n"))
    RC_ASSERT(mount.device.size() <= text.size() + 100);
}

TEST(Pci, DevicesAreKnownByVendorAndClass) {
  Scratch scratch;
  const auto put = [&](const std::string& address, const std::string& vendor, const std::string& type) {
    scratch.write("bus/pci/devices/" + address + "/vendor", vendor + "\n");
    scratch.write("bus/pci/devices/" + address + "/class", type + "\n");
    scratch.write("bus/pci/devices/" + address + "/device", "0x0001\n");
  };
  put("0000:01:00.0", "0x10de", "0x030200");
  put("0000:01:00.1", "0x10de", "0x040300");  // a GPU's audio function
  put("0000:02:00.0", "0x10de", "0x068000");  // an NVSwitch
  put("0000:03:00.0", "0x1002", "0x120000");
  put("0000:04:00.0", "0x1da3", "0x120000");
  put("0000:05:00.0", "0x8086", "0x030000");  // the board's own display
  put("0000:06:00.0", "nonsense", "0x030000");
  const auto devices = accelerators(scratch.path());
  ASSERT_TRUE(devices);
  ASSERT_EQ(devices->size(), 3U);
  EXPECT_EQ((*devices)[0].address, "0000:01:00.0");
  EXPECT_EQ((*devices)[2].model, "1da3:0001");
  EXPECT_FALSE(accelerators(scratch / "none")) << "not knowing is not the same as none";
}

TEST(Identity, ItIsReadFromTheMachine) {
  Scratch scratch;
  scratch.write("proc/sys/kernel/random/boot_id", "b7cf4a52-0d5c-4bb1-8f46-0a4b2a1ad9c1\n");
  scratch.write("proc/stat", "cpu 1 2 3\nbtime 1800000000\nprocesses 7\n");
  scratch.write("sys/class/dmi/id/product_serial",
                "SN-\xff"
                "42\n");
  scratch.write("machine-id", "6b1ba8e0\n");
  const auto identity = system_identity(scratch / "proc", scratch / "sys", scratch / "machine-id");
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->boot_id, "b7cf4a52-0d5c-4bb1-8f46-0a4b2a1ad9c1");
  EXPECT_EQ(identity->boot_started_at, from_micros(1'800'000'000'000'000));
  EXPECT_EQ(identity->host, "SN-\\xff42");
  EXPECT_EQ(identity->machine_id, "6b1ba8e0");
  scratch.write("sys/class/dmi/id/product_serial", "To Be Filled By O.E.M.\n");
  EXPECT_EQ(system_identity(scratch / "proc", scratch / "sys")->host, "") << "a serial that every board has names none";
  EXPECT_EQ(system_identity(scratch / "none").error().code, Errc::not_found);
}

TEST(Config, AFileIsReadStrictlyAndErrorsNameTheMember) {
  Scratch scratch;
  scratch.write("good", R"({"server":"https://a:1","heartbeat":"10s","allow_injected":true})");
  const auto good = load_config(scratch / "good", {});
  ASSERT_TRUE(good);
  EXPECT_EQ(good->heartbeat, seconds{10});
  EXPECT_EQ(good->cluster, "default");
  scratch.write("typo", R"({"sever":"https://a:1"})");
  EXPECT_EQ(load_config(scratch / "typo", {}).error().field, "sever");
  scratch.write("wrong", R"({"heartbeat":10})");
  EXPECT_EQ(load_config(scratch / "wrong", {}).error().field, "heartbeat");
  scratch.write("broken", R"({"server")");
  EXPECT_NE(load_config(scratch / "broken", {}).error().message.find("not valid JSON"), std::string::npos);
}

TEST(State, ADamagedFileIsTheDefaultNotTheEnd) {
  log::set_level(log::Level::error);
  Scratch scratch;
  StateDirectory state;
  ASSERT_TRUE(state.open(scratch.path()));
  Saved saved;
  saved.boot_id = "boot-1";
  saved.sequence = 42;
  ASSERT_TRUE(state.save(saved));
  EXPECT_EQ(state.load().sequence, 42U);
  const std::string whole = scratch.read("state.json");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    scratch.write("state.json", whole.substr(0, length));
    EXPECT_FALSE(state.load().sequence);
  }
  log::set_level(log::Level::info);
}

Finding fault(const std::string& code, const std::string& device, Action action = Action::reboot) {
  Finding finding;
  finding.fault = {"DmesgXidError", code};
  finding.device = device;
  finding.action = action;
  finding.id = code + device + std::to_string(static_cast<int>(action));
  return finding;
}

TEST(ActiveSet, ADuplicateThatAsksForSomethingElseIsToldAtOnce) {
  const FaultTable table;
  ActiveSet set(table);
  EXPECT_TRUE(set.take(fault("154", "a", Action::none), seconds{1}));
  EXPECT_FALSE(set.take(fault("154", "a", Action::none), seconds{1}));
  EXPECT_TRUE(set.take(fault("154", "a", Action::reboot), seconds{1}));
  EXPECT_EQ(set.list().at(0).count, 3U);
  const auto due = set.due(seconds{2});
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].count, 1U);
  EXPECT_TRUE(set.due(seconds{3}).empty());
}

TEST(ActiveSet, AClearEndsAFault) {
  const FaultTable table;
  ActiveSet set(table);
  set.take(fault("119", "a"), seconds{1});
  Finding clear = fault("119", "a");
  clear.kind = FindingKind::clear;
  EXPECT_TRUE(set.take(clear, seconds{2}));
  EXPECT_EQ(set.size(), 0U);
  EXPECT_TRUE(set.take(fault("119", "a"), seconds{3})) << "the next one is news";
}

TEST(ActiveSet, AFaultThatClearsByBeingQuietLeavesAfterItsTime) {
  FaultTable table;
  FaultRule quiet;
  quiet.name = "DmesgXidError";
  quiet.code = "13";
  quiet.clears = ClearsOn::quiet;
  quiet.quiet_for = minutes{10};
  table.rules.push_back(quiet);
  ActiveSet set(table);
  set.take(fault("13", "a"), minutes{0});
  set.take(fault("119", "a"), minutes{0});
  set.take(fault("13", "a"), minutes{5});
  set.due(minutes{14});
  EXPECT_EQ(set.size(), 2U);
  EXPECT_EQ(set.due(minutes{15}).size(), 0U);
  EXPECT_EQ(set.size(), 1U);
}

TEST(ActiveSet, ItIsBoundedAndSaysWhenItIsFull) {
  const FaultTable table;
  ActiveSet set(table);
  int told = 0;
  for (int i = 0; i < 5000; ++i) told += set.take(fault(std::to_string(i), "a"), seconds{1}) ? 1 : 0;
  EXPECT_EQ(set.size(), ActiveSet::kMost);
  EXPECT_EQ(told, 2 * static_cast<int>(ActiveSet::kMost));
  EXPECT_EQ(set.overflowed(), 5000U - ActiveSet::kMost);
  Finding broken;
  broken.fault = {"DetectorBroken", "active-faults"};
  EXPECT_TRUE(set.take(broken, seconds{1}));
  EXPECT_TRUE(set.find(broken.fault, ""));
}

// Whatever comes in whatever order: what is told and what is still to be told add up to what came.
RC_GTEST_PROP(ActiveSet, NoDuplicateIsForgotten, (const std::vector<std::uint8_t>& codes)) {
  const FaultTable table;
  ActiveSet set(table);
  std::uint64_t told = 0;
  for (const std::uint8_t code : codes) {
    if (code > 250) {
      for (const Finding& finding : set.due(seconds{1})) told += finding.count;
    } else {
      told += set.take(fault(std::to_string(code % 7), "a", code > 200 ? Action::migrate : Action::reboot), seconds{1})
                  ? 1
                  : 0;
    }
  }
  for (const Finding& finding : set.due(seconds{1})) told += finding.count;
  const auto came = std::count_if(codes.begin(), codes.end(), [](std::uint8_t code) { return code <= 250; });
  RC_ASSERT(told == static_cast<std::uint64_t>(came));
}

}  // namespace
}  // namespace sickbay::agent
