// Where the agent looks for itself instead of listening: the PCI bus and the mounts.
#include <fcntl.h>
#include <fmt/core.h>

#include "agent/parts.hpp"
#include "agent/pci.hpp"
#include "base/log.hpp"

namespace sickbay::agent {
namespace {

// A filesystem's own message can come a moment before its state changes (ext4 speaks first): no look within this time
// calls it healthy.
constexpr Duration kSettles = seconds{5};

Finding about_filesystem(FindingKind kind, const Fault& fault, std::string device, std::string sentence,
                         std::string point) {
  Finding finding;
  finding.kind = kind;
  finding.detector = "filesystem";
  finding.fault = fault;
  finding.device = std::move(device);
  finding.severity = kind == FindingKind::fault ? Severity::critical : Severity::info;
  finding.action = kind == FindingKind::fault ? Action::reprovision : Action::none;
  finding.joins = kind == FindingKind::note;
  finding.sentence = std::move(sentence);
  finding.evidence = {{"mount", std::move(point)}, {"source", "mountinfo"}};
  return finding;
}

}  // namespace

void Agent::Parts::look_at_bus() {
  bus_in_doubt = false;
  if (!config.watch_host || !expected) return;
  const auto devices = accelerators(config.sys);
  if (!devices) {
    if (expected->gpus > 0) broken("pci", "pci", "The PCI bus cannot be looked at: " + devices.error().message);
    return;
  }
  mended("pci", "pci", "The PCI bus can be looked at again");
  const Fault missing{"GpuMissing", ""};
  if (auto finding = compare(*devices, *expected, saved.gpus, active.find(missing, ""))) own(std::move(*finding));
  std::vector<std::string> addresses;
  for (const PciDevice& device : *devices) {
    if (device.answers) addresses.push_back(device.address);
  }
  if (expected->gpus > 0 && addresses.size() >= expected->gpus) saved.gpus = std::move(addresses);
}

// Right after the kernel's line: a note that says whether the mount shows the same. The evidence of the kernel's own
// finding stays as the rule wrote it.
void Agent::Parts::confirm(const Finding& finding) {
  if (!config.watch_host) return;
  const Mounts::Look look = mounts.look(finding.fault, finding.device);
  if (look.state == Mounts::State::sick) {
    own(about_filesystem(FindingKind::note, finding.fault, finding.device, "Confirmed: " + look.says, look.point));
  }
  watch_mounts();
}

void Agent::Parts::look_at_mounts() {
  bool sick = false;
  for (const ActiveFault& fault : active.list()) {
    if (!speaks_of_a_filesystem(fault.first.fault)) continue;
    sick = true;
    if (since_boot().count() - fault.last.since_boot_us < kSettles.count()) continue;
    const Mounts::Look look = mounts.look(fault.first.fault, fault.first.device);
    if (look.state == Mounts::State::healthy || look.state == Mounts::State::gone) {
      own(about_filesystem(FindingKind::clear, fault.first.fault, fault.first.device, look.says, look.point));
    }
  }
  if (const auto turned = mounts.turned_read_only()) {
    for (const Mounts::Sick& one : *turned) {
      const Fault fault{"NpdReadonlyFilesystem", ""};
      if (active.find(fault, one.device)) continue;
      own(about_filesystem(FindingKind::fault, fault, one.device, one.says, one.point));
      sick = true;
    }
  }
  if (sick) watch_mounts();
}

// Only while a filesystem is sick: a busy node mounts and unmounts all the time.
void Agent::Parts::watch_mounts() {
  if (mount_watch) return;
  Fd fd(::open(mounts.path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return;  // the heartbeat looks anyway
  boost::system::error_code error;
  mount_watch.emplace(io);
  mount_watch->assign(fd.get(), error);
  if (error) return mount_watch.reset();  // a regular file in a test's tree
  fd.release();
  mount_watch->async_wait(
      asio::posix::stream_descriptor::wait_error,
      [this, alive = std::weak_ptr<Parts>(weak_from_this())](const boost::system::error_code& failed) {
        const auto self = alive.lock();
        if (failed || !self || stopped) return;
        mount_watch.reset();
        look_at_mounts();  // watches again while one is sick
        commit();
      });
}

}  // namespace sickbay::agent
