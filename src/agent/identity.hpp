// Who this machine is (engine.md 6). A value, so that a simulated fleet gives each of its nodes its own.
#pragma once

#include <string>

#include "base/time.hpp"
#include "model/node.hpp"

namespace sickbay::agent {

struct Identity {
  std::string machine_id;  // one installation of an operating system
  std::string boot_id;     // one run of it
  Time boot_started_at{};
  std::string host;        // the host's serial; empty where it cannot be read
  Duration boot_steady{};  // what the steady clock showed at the boot; 0 where it counts from the boot, as on Linux
  Shape shape;             // used where the agent does not look at the PCI bus itself (Config::watch_host)

  Duration since_boot(const Clock& clock) const { return clock.steady() - boot_steady; }
};

// Reads /etc/machine-id, `proc`/sys/kernel/random/boot_id, `proc`/stat (btime) and `sys`/class/dmi/id/product_serial.
// Errc::not_found without a boot id: nothing an agent says would mean anything.
Result<Identity> system_identity(const std::string& proc = "/proc", const std::string& sys = "/sys",
                                 const std::string& machine_id_file = "/etc/machine-id");

}  // namespace sickbay::agent
