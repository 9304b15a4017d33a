// Each detector alone: what makes it look, what it says, what it remembers. What becomes of findings is
// agent_test.cpp's.
#include "agent/detector.hpp"

#include <gmock/gmock.h>

#include "agent/kernel_log_detector.hpp"
#include "agent/memory_source.hpp"
#include "agent/mount_detector.hpp"
#include "agent/pci_detector.hpp"
#include "base/log.hpp"
#include "tests/unit/agent/fake_sink.hpp"

namespace sickbay::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void put_gpu(const Scratch& scratch, const std::string& address) {
  const std::string base = "sys/bus/pci/devices/" + address + "/";
  scratch.write(base + "vendor", "0x10de\n");
  scratch.write(base + "device", "0x2330\n");
  scratch.write(base + "class", "0x030200\n");
}

wire::HelloReply expecting(std::uint32_t gpus) {
  wire::HelloReply reply;
  reply.expected = {"", gpus};
  return reply;
}

TEST(PciDetector, ManyHintsAreOneLookWhenTheOthersHaveSaidAll) {
  DetectorRig rig;
  put_gpu(rig.scratch, "0000:10:00.0");
  put_gpu(rig.scratch, "0000:11:00.0");
  auto pci = rig.make<PciDetector>();
  pci.start(rig.sink, {});
  pci.on_hint({});
  pci.on_settled();
  EXPECT_THAT(rig.sink.said(), IsEmpty()) << "nobody has said what to expect";
  pci.on_greeted(expecting(2));
  EXPECT_THAT(rig.sink.said(), IsEmpty());
  std::filesystem::remove_all(rig.scratch / "sys/bus/pci/devices/0000:11:00.0");
  pci.on_settled();
  EXPECT_THAT(rig.sink.said(), IsEmpty()) << "nothing gave a reason to look";
  pci.on_hint({});
  pci.on_hint({});
  EXPECT_THAT(rig.sink.said(), IsEmpty());
  pci.on_settled();
  EXPECT_THAT(rig.sink.said(), ElementsAre("fault GpuMissing"));
  put_gpu(rig.scratch, "0000:11:00.0");
  pci.on_gap();
  pci.on_settled();
  EXPECT_THAT(rig.sink.said(), ElementsAre("clear GpuMissing"));
}

TEST(PciDetector, ABusThatCannotBeListedIsSaidAndItsReturnToo) {
  DetectorRig rig;
  auto pci = rig.make<PciDetector>();
  pci.start(rig.sink, {});
  pci.on_greeted(expecting(1));
  EXPECT_THAT(rig.sink.said(), ElementsAre("fault DetectorBroken/pci"));
  put_gpu(rig.scratch, "0000:10:00.0");
  pci.on_heartbeat();
  EXPECT_THAT(rig.sink.said(), ElementsAre("clear DetectorBroken/pci"));
}

TEST(PciDetector, ItRemembersOverARestartWhichOnesWereThere) {
  DetectorRig rig;
  put_gpu(rig.scratch, "0000:10:00.0");
  put_gpu(rig.scratch, "0000:11:00.0");
  Saved saved;
  {
    auto before = rig.make<PciDetector>();
    before.start(rig.sink, {});
    before.on_greeted(expecting(2));
    before.save(saved);
  }
  std::filesystem::remove_all(rig.scratch / "sys/bus/pci/devices/0000:11:00.0");
  auto after = rig.make<PciDetector>();
  after.start(rig.sink, saved);
  after.on_greeted(expecting(2));
  ASSERT_EQ(rig.sink.findings.size(), 1U);
  EXPECT_NE(rig.sink.findings[0].sentence.find("0000:11:00.0"), std::string::npos);
}

constexpr const char* kHealthy = "31 22 7:1 / /data rw,relatime - ext4 /dev/loop1 rw,errors=remount-ro\n";
constexpr const char* kSick = "31 22 7:1 / /data rw,relatime - ext4 /dev/loop1 rw,errors=remount-ro,emergency_ro\n";

Finding read_only_line() {
  Finding finding;
  finding.fault.name = fault_names::kReadonlyFilesystem;
  finding.device = "loop1";
  return finding;
}

TEST(MountDetector, AHintIsConfirmedAtOnceWhereTheMountShowsTheSame) {
  DetectorRig rig;
  rig.scratch.write("proc/1/mountinfo", kHealthy);
  auto mounts = rig.make<MountDetector>();
  mounts.start(rig.sink, {});
  mounts.on_hint(read_only_line());
  EXPECT_THAT(rig.sink.said(), IsEmpty());
  rig.scratch.write("proc/1/mountinfo", kSick);
  mounts.on_hint(read_only_line());
  EXPECT_THAT(rig.sink.said(), ElementsAre("note NpdReadonlyFilesystem"));
  mounts.stop();
}

TEST(MountDetector, WhatIsOverInTheMountTableIsClearedOnceTheLineIsOldEnough) {
  DetectorRig rig;
  rig.scratch.write("proc/1/mountinfo", kHealthy);
  auto mounts = rig.make<MountDetector>();
  mounts.start(rig.sink, {});
  Finding line = read_only_line();
  line.since_boot_us = rig.identity.since_boot(rig.clock).count();
  rig.sink.accept(line);
  Finding other = line;
  other.fault = {fault_names::kXidError, "119"};  // none of the mounts' business
  rig.sink.accept(other);
  rig.sink.said();
  mounts.on_heartbeat();
  EXPECT_THAT(rig.sink.said(), IsEmpty());
  rig.clock.advance(seconds{6});
  mounts.on_heartbeat();
  EXPECT_THAT(rig.sink.said(), ElementsAre("clear NpdReadonlyFilesystem"));
  mounts.stop();
}

TEST(MountDetector, OfManyGapsBetweenTwoHeartbeatsOnlyTheFirstMakesItLook) {
  DetectorRig rig;
  rig.scratch.write("proc/1/mountinfo", kHealthy);
  auto mounts = rig.make<MountDetector>();
  mounts.start(rig.sink, {});
  mounts.on_settled();  // all that was in the log at the start
  mounts.on_gap();
  mounts.on_settled();
  rig.scratch.write("proc/1/mountinfo", kSick);
  mounts.on_gap();
  mounts.on_settled();
  EXPECT_THAT(rig.sink.said(), IsEmpty());
  mounts.on_heartbeat();
  EXPECT_THAT(rig.sink.said(), ElementsAre("fault NpdReadonlyFilesystem"));
  mounts.stop();
}

struct KernelLogRig : DetectorRig {
  KernelLogRig() {
    log::set_level(log::Level::error);
    source = std::make_unique<MemorySource>(feed);
  }
  ~KernelLogRig() { log::set_level(log::Level::info); }
  std::shared_ptr<MemorySource::Feed> feed = std::make_shared<MemorySource::Feed>();
};

TEST(KernelLogDetector, AGapIsSaidAndIsOverAtTheSecondHeartbeatWithoutOne) {
  KernelLogRig rig;
  auto listener = rig.make<KernelLogDetector>();
  listener.start(rig.sink, {});
  rig.feed->push("4,10,1000000,-;first\n");
  EXPECT_EQ(rig.sink.gaps, 0);
  rig.feed->push("4,31,2000000,-;after twenty were lost\n");
  EXPECT_EQ(rig.sink.gaps, 1);
  EXPECT_THAT(rig.sink.said(), ElementsAre("fault DetectorBroken/kernel-log"));
  listener.on_heartbeat();
  EXPECT_THAT(rig.sink.said(), IsEmpty());
  listener.on_heartbeat();
  EXPECT_THAT(rig.sink.said(), ElementsAre("clear DetectorBroken/kernel-log"));
  EXPECT_EQ(listener.records(), 2U);
}

TEST(KernelLogDetector, ItGoesOnWhereItStoodAndAsksToBeSavedAfterManyQuietRecords) {
  KernelLogRig rig;
  Saved saved;
  saved.sequence = 2;
  auto listener = rig.make<KernelLogDetector>();
  listener.start(rig.sink, saved);
  const std::string xid = "NVRM: Xid (PCI:0000:3b:00): 119, pid=1, name=x, Timeout";
  for (int i = 0; i < 4; ++i) rig.feed->say(xid, seconds{i + 1});
  EXPECT_THAT(rig.sink.said(), ElementsAre("fault DmesgXidError/119")) << "0 to 2 were read by an earlier start";
  listener.on_heartbeat();
  EXPECT_EQ(rig.sink.saves, 0);
  for (int i = 0; i < 600; ++i) rig.feed->say("quiet", minutes{1});
  listener.on_heartbeat();
  EXPECT_EQ(rig.sink.saves, 1);
  listener.save(saved);
  EXPECT_EQ(saved.sequence, 603U);
  listener.on_heartbeat();
  EXPECT_EQ(rig.sink.saves, 1);
}

// The agent's own: which finding is whose hint stands in rules/faults.yaml.
TEST(Detectors, TheKernelLogStartsLastAndTheHostIsWatchedOnlyWhereItMayBe) {
  const auto names = [](bool watch_host) {
    KernelLogRig rig;
    rig.config.watch_host = watch_host;
    std::vector<std::string> out;
    for (const auto& detector :
         make_detectors({rig.io, rig.config, rig.identity, rig.log, rig.sink.faults, rig.clock, rig.source})) {
      out.emplace_back(detector->name());
    }
    return out;
  };
  EXPECT_EQ(names(true).back(), "kernel-log");
  EXPECT_THAT(names(false), ElementsAre("kernel-log"));
}

}  // namespace
}  // namespace sickbay::agent
