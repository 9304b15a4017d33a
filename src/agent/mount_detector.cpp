#include "agent/mount_detector.hpp"

#include <fcntl.h>

#include <utility>

#include "base/files.hpp"
#include "model/fault_names.hpp"

namespace sickbay::agent {
namespace {

// A filesystem's own message can come a moment before its state changes (ext4 speaks first): no look within this time
// calls it healthy.
constexpr Duration kSettles = seconds{5};

}  // namespace

MountDetector::MountDetector(const Surroundings& around)
    : io_(around.io),
      identity_(around.identity),
      faults_(around.faults),
      clock_(around.clock),
      mounts_(around.config.proc, around.config.sys) {}

Finding MountDetector::about(FindingKind kind, const Fault& fault, const std::string& device, std::string sentence,
                             std::string point) const {
  Finding finding;
  finding.kind = kind;
  finding.detector = name();
  finding.fault = fault;
  finding.device = device;
  finding.severity = kind == FindingKind::fault ? Severity::critical : Severity::info;
  finding.action = kind == FindingKind::fault ? Action::reprovision : Action::none;
  finding.joins = kind == FindingKind::note;
  finding.sentence = std::move(sentence);
  finding.evidence = {{"mount", std::move(point)}, {"source", "mountinfo"}};
  return finding;
}

void MountDetector::start(FindingSink& sink, const Saved&) {
  sink_ = &sink;
  alive_ = std::make_shared<bool>(true);
  look();
}

void MountDetector::stop() {
  if (alive_) *alive_ = false;
  watch_.reset();
}

void MountDetector::on_heartbeat() {
  gap_ = false;
  look();
}

void MountDetector::on_gap() {
  if (!std::exchange(gap_, true)) in_doubt_ = true;
}

void MountDetector::on_settled() {
  if (std::exchange(in_doubt_, false)) look();
}

// Right after the kernel's line: a note that says whether the mount shows the same. The evidence of the kernel's own
// finding stays as the rule wrote it.
void MountDetector::on_hint(const Finding& finding) {
  const Mounts::Look look = mounts_.look(finding.fault, finding.device);
  if (look.state == Mounts::State::sick) {
    sink_->accept(about(FindingKind::note, finding.fault, finding.device, "Confirmed: " + look.says, look.point));
  }
  watch();
}

void MountDetector::look() {
  bool sick = false;
  for (const ActiveFault& fault : sink_->active().list()) {
    if (!is_ours(fault.first.fault)) continue;
    sick = true;
    if (identity_.since_boot(clock_).count() - fault.last.since_boot_us < kSettles.count()) continue;
    const Mounts::Look look = mounts_.look(fault.first.fault, fault.first.device);
    if (look.state == Mounts::State::healthy || look.state == Mounts::State::gone) {
      sink_->accept(about(FindingKind::clear, fault.first.fault, fault.first.device, look.says, look.point));
    }
  }
  if (const auto turned = mounts_.turned_read_only()) {
    for (const Mounts::Sick& one : *turned) {
      const Fault fault{fault_names::kReadonlyFilesystem, ""};
      if (sink_->active().find(fault, one.device)) continue;
      sink_->accept(about(FindingKind::fault, fault, one.device, one.says, one.point));
      sick = true;
    }
  }
  if (sick) watch();
}

// Only while a filesystem is sick: a busy node mounts and unmounts all the time.
void MountDetector::watch() {
  if (watch_) return;
  Fd fd(::open(mounts_.path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return;  // the heartbeat looks anyway
  boost::system::error_code error;
  watch_.emplace(io_);
  watch_->assign(fd.get(), error);
  if (error) return watch_.reset();  // a regular file in a test's tree
  fd.release();
  watch_->async_wait(asio::posix::stream_descriptor::wait_error,
                     [this, alive = alive_](const boost::system::error_code& failed) {
                       if (failed || !*alive) return;
                       watch_.reset();
                       look();  // watches again while one is sick
                       sink_->commit();
                     });
}

}  // namespace sickbay::agent
