// The agent on the real kernel of this machine: its log, an XFS filesystem that really shuts down, an ext4 that really
// turns read-only. Needs root; says so and skips where it is not.
#include <fcntl.h>

#include <array>
#include <filesystem>
#include <set>

#include "agent/identity.hpp"
#include "base/files.hpp"
#include "tests/unit/agent/rig.hpp"

namespace sickbay::agent {
namespace {

bool shell(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

// A filesystem of its own on a loop device.
struct Loop {
  explicit Loop(const std::string& make) {
    std::filesystem::create_directory(scratch / "mnt");
    made = shell("truncate -s 320M " + scratch / "image") && shell(make + " " + scratch / "image");
  }
  ~Loop() { shell("umount -l " + scratch / "mnt"); }
  bool mount(const std::string& options = "loop") {
    return made && shell("mount -o " + options + " " + scratch / "image" + " " + scratch / "mnt");
  }
  // "loop7"
  std::string device() const {
    const std::string name = scratch / "device";
    shell("sh -c 'findmnt -no SOURCE " + scratch / "mnt" + " > " + name + "'");
    const std::string source(trim(scratch.read("device")));
    return source.substr(source.rfind('/') + 1);
  }
  Scratch scratch;
  bool made = false;
};

struct RealKernel : testing::Test {
  void SetUp() override {
    if (::geteuid() != 0 || ::access("/dev/kmsg", R_OK | W_OK) != 0) GTEST_SKIP() << "needs root and /dev/kmsg";
    rig.config.watch_host = true;
    rig.config.heartbeat = milliseconds{200};
    auto identity = system_identity();
    ASSERT_TRUE(identity) << identity.error().message;
    rig.identity = *identity;
  }
  void start() {
    auto source = open_records(rig.io, "/dev/kmsg", false);
    ASSERT_TRUE(source) << source.error().message;
    rig.config.server = server.url();
    began = log_time();
    rig.agent = std::make_unique<Agent>(rig.io, rig.config, rig.identity, std::move(*source), built_in_rules(),
                                        rig.faults, rig.clock);
    const auto status = rig.agent->start();
    ASSERT_TRUE(status) << status.error().message;
    ASSERT_TRUE(rig.delivered());  // what the log held before
  }
  // What the kernel's log calls now. Not the steady clock: the two drift apart while the machine is up, and a record
  // may carry an earlier time than the clock showed before it was written.
  static Duration log_time() {
    const Fd log(::open("/dev/kmsg", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    ::lseek(log.get(), 0, SEEK_END);
    const std::string_view mark = "<7>sickbay: a test begins\n";
    EXPECT_EQ(::write(log.get(), mark.data(), mark.size()), static_cast<ssize_t>(mark.size()));
    std::array<char, 8192> record{};
    const ssize_t got = ::read(log.get(), record.data(), record.size());
    const auto parts = split(std::string_view(record.data(), got > 0 ? static_cast<std::size_t>(got) : 0), ',');
    const auto at = parts.size() > 2 ? parse_int(parts[2]) : std::nullopt;
    EXPECT_TRUE(at) << "the kernel log gives no record back";
    return Duration{at.value_or(0)};
  }
  // The newest finding of a fault on a device since the agent's start: the log holds older ones.
  std::optional<Finding> seen(const std::string& name, const std::string& device, FindingKind kind,
                              const std::string& detector = "") {
    std::optional<Finding> found;
    for (const Finding& finding : good.of(name, kind)) {
      const bool by = detector.empty() || finding.detector == detector;
      if (finding.device == device && by && finding.since_boot_us >= began.count()) found = finding;
    }
    return found;
  }
  // For whoever reads that something was not seen.
  std::string heard() const {
    std::string text = fmt::format("began at {}; heard:\n", began.count());
    for (const Finding& finding : good.findings) {
      text += fmt::format("{} {} of {} on {} at {}: {}\n", finding.detector, name_of(finding.kind),
                          finding.fault.text(), finding.device, finding.since_boot_us, finding.sentence);
    }
    return text;
  }
  Duration began{};
  Rig rig;
  GoodServer good;
  FakeServer server{rig.io, std::ref(good)};
};

TEST_F(RealKernel, ARecordWrittenToTheLogArrivesOnlyWhereInjectionIsAllowed) {
  const auto write = [](const std::string& text) {
    const Fd log(::open("/dev/kmsg", O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::write(log.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  const auto arrived = [&](const std::string& device) { return seen("DmesgXidError", device, FindingKind::fault); };
  start();
  const Duration first = began;
  const auto pid = static_cast<unsigned>(::getpid());
  const std::string device = fmt::format("0000:{:02x}:{:02x}", pid % 250, pid / 250 % 31);
  write("<2>" + xid(119, device) + "\n");  // without a newline the kernel shows it only when more is said
  ASSERT_TRUE(run_until(rig.io, [&, before = good.heartbeats.size()] { return good.heartbeats.size() > before + 2; }));
  EXPECT_FALSE(arrived(device + ".0")) << "a program forged a fault";
  rig.agent->stop();
  std::filesystem::remove_all(rig.scratch / "state");
  rig.config.allow_injected = true;
  start();
  began = first;
  ASSERT_TRUE(run_until(rig.io, [&] { return arrived(device + ".0").has_value(); }));
  EXPECT_EQ(arrived(device + ".0")->evidence.at("facility").to_number<int>(), 1);
}

TEST_F(RealKernel, AnXfsThatShutsDownIsFoundConfirmedAndOverWhenItIsUnmounted) {
  Loop loop("mkfs.xfs -q");
  if (!loop.mount() || !shell("which xfs_io")) GTEST_SKIP() << "needs mkfs.xfs, xfs_io and loop devices";
  const std::string device = loop.device();
  start();
  ASSERT_TRUE(shell("xfs_io -x -c shutdown " + loop.scratch / "mnt"));
  ASSERT_TRUE(run_until(rig.io, [&] { return seen("NpdXfsShutdown", device, FindingKind::fault).has_value(); }))
      << heard();
  const Finding fault = *seen("NpdXfsShutdown", device, FindingKind::fault);
  EXPECT_EQ(fault.evidence.at("facility").to_number<int>(), 0) << "the kernel itself said it";
  EXPECT_EQ(fault.severity, Severity::critical);
  EXPECT_EQ(fault.action, Action::reprovision);
  ASSERT_TRUE(
      run_until(rig.io, [&] { return seen("NpdXfsShutdown", device, FindingKind::note, "filesystem").has_value(); }));
  EXPECT_NE(seen("NpdXfsShutdown", device, FindingKind::note, "filesystem")->sentence.find("I/O errors"),
            std::string::npos);
  EXPECT_FALSE(seen("NpdXfsShutdown", device, FindingKind::clear));
  ASSERT_TRUE(shell("umount " + loop.scratch / "mnt"));
  ASSERT_TRUE(run_until(rig.io, [&] { return seen("NpdXfsShutdown", device, FindingKind::clear).has_value(); }));
}

TEST_F(RealKernel, AnExt4ThatTurnsReadOnlyIsFoundAndOverWhenItIsUnmounted) {
  Loop loop("mkfs.ext4 -q -F");
  if (!loop.mount("loop,errors=remount-ro")) GTEST_SKIP() << "needs mkfs.ext4 and loop devices";
  const std::string device = loop.device();
  const std::string trigger = "/sys/fs/ext4/" + device + "/trigger_fs_error";
  if (::access(trigger.c_str(), W_OK) != 0) GTEST_SKIP() << "this kernel has no " << trigger;
  start();
  ASSERT_TRUE(shell("sh -c 'echo 1 > " + trigger + "'"));
  ASSERT_TRUE(run_until(rig.io, [&] { return seen("NpdReadonlyFilesystem", device, FindingKind::fault).has_value(); }))
      << heard();
  ASSERT_TRUE(run_until(rig.io, [&, before = good.heartbeats.size()] { return good.heartbeats.size() > before + 2; }));
  EXPECT_FALSE(seen("NpdReadonlyFilesystem", device, FindingKind::clear)) << "it is still read-only";
  ASSERT_TRUE(shell("umount " + loop.scratch / "mnt"));
  ASSERT_TRUE(run_until(rig.io, [&] { return seen("NpdReadonlyFilesystem", device, FindingKind::clear).has_value(); }));
}

}  // namespace
}  // namespace sickbay::agent
