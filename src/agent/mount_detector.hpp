// Looks at the mounts: whether what the kernel log says of a filesystem shows there too, whether it is over, and which
// filesystems the kernel has turned read-only without a line. How a mount looks is mounts.hpp's.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <optional>

#include "agent/detector.hpp"
#include "agent/mounts.hpp"

namespace sickbay::agent {

class MountDetector final : public Detector {
 public:
  explicit MountDetector(const Surroundings& around);

  std::string_view name() const override { return "filesystem"; }
  void start(FindingSink& sink, const Saved& saved) override;
  void stop() override;
  void on_heartbeat() override;
  void on_hint(const Finding& finding) override;
  void on_gap() override;
  void on_settled() override;

 private:
  void look();
  void watch();
  bool is_ours(const Fault& fault) const { return faults_.find(fault).look == name(); }
  Finding about(FindingKind kind, const Fault& fault, const std::string& device, std::string sentence,
                std::string point) const;

  asio::io_context& io_;
  const Identity& identity_;
  const FaultTable& faults_;
  const Clock& clock_;
  Mounts mounts_;
  FindingSink* sink_ = nullptr;
  std::optional<asio::posix::stream_descriptor> watch_;
  // Look when the log has been read as far as it goes. So at the start: what it told of may long be over.
  bool in_doubt_ = true;
  bool gap_ = false;  // looked because of a gap since the last heartbeat; once will do, for mounts can be many
  // The completion of a wait begun before a stop finds it false. Shared with it, since it may come after the detector
  // is gone.
  std::shared_ptr<bool> alive_;
};

}  // namespace sickbay::agent
