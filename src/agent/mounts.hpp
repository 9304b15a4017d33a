// Mounts, to confirm what the kernel log says of a filesystem and to see when it is mended. A kernel line alone cannot
// tell: it never says that a filesystem was unmounted or repaired.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/finding.hpp"

namespace sickbay::agent {

// One line of mountinfo (proc(5)).
struct Mount {
  std::string device;   // "8:1", major and minor
  std::string point;    // unescaped
  std::string options;  // of the mount
  std::string type;
  std::string source;
  std::string super_options;  // of the filesystem
};

// Lines that are not mountinfo are left out. At most 100,000 mounts.
std::vector<Mount> parse_mountinfo(std::string_view text);

class Mounts {
 public:
  // Answers whether the filesystem mounted at a path has shut down (EIO). Replaced in tests.
  using Probe = std::function<bool(const std::string& point)>;
  Mounts(std::string proc, std::string sys, Probe probe = {});

  // The file to poll (POLLPRI) for changes: the host's mounts where /proc/1 can be read, else our own.
  const std::string& path() const { return path_; }

  enum class State { healthy, sick, gone, unknown };
  struct Look {
    State state = State::unknown;
    std::string point;  // where it is mounted
    std::string says;   // what was seen, for a person
  };
  // How the filesystem of a fault on `device` ("loop0", "dm-3", "sda1") is now. NpdReadonlyFilesystem: whether it takes
  // writes; every other: whether it has shut down.
  Look look(const Fault& fault, std::string_view device) const;
  // Filesystems that the kernel has turned read-only, whatever the log said.
  struct Sick {
    std::string device, point, says;
  };
  Result<std::vector<Sick>> turned_read_only() const;

 private:
  std::string device_name(const Mount& mount) const;

  std::string proc_, sys_, path_;
  Probe probe_;
};

}  // namespace sickbay::agent
