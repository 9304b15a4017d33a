// What an agent remembers over a restart beside its outbox: where it stands in the kernel log and the faults it holds
// active, in one file so that they always belong together; and its credential. One agent per directory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "model/node.hpp"

namespace sickbay::agent {

struct Saved {
  std::string boot_id;                    // what follows belongs to this boot
  std::optional<std::uint64_t> sequence;  // of the last kernel record whose findings are durable
  std::vector<ActiveFault> active;
  std::vector<std::string> gpus;  // PCI addresses seen when the shape was complete; outlives the boot
  std::string spent_ticket;       // sha256 of the ticket that gave us our credential
  BOOST_DESCRIBE_CLASS(Saved, (), (boot_id, sequence, active, gpus, spent_ticket), (), ())
};

class StateDirectory {
 public:
  StateDirectory() = default;  // keeps nothing
  // Creates the directory where needed and locks it. Errc::conflict when another agent holds it; Errc::io when it
  // takes no writes (what it holds can still be read).
  Status open(const std::string& path);

  Saved load() const;  // what is absent or damaged is the default
  Status save(const Saved& saved) const;
  std::string credential() const;  // empty: none
  Status save_credential(const std::string& credential) const;
  const std::string& path() const { return path_; }  // empty: keeps nothing

 private:
  std::string path_;
  Fd lock_;
};

}  // namespace sickbay::agent
