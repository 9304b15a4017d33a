// The guest: one node of the simulated world that is a real machine, in ./run this very one. Its schedulers and its
// reboots are the world's, its kernel log and its agent are real: the world writes a small /proc with the boot it
// imagines, and the real agent reads its identity there (--proc). While the file with the boot id is gone, the machine
// is "down", and whoever runs the agent stops it.
#pragma once

#include <string>

#include "base/result.hpp"
#include "simworld/state.hpp"

namespace sickbay::simworld {

class Guest {
 public:
  // `proc` is made where it is missing.
  Guest(std::string node, std::string proc) : node_(std::move(node)), proc_(std::move(proc)) {}

  // Brings the files up to what the world says of the node.
  Status show(const State& state);

 private:
  const std::string node_, proc_;
  std::string shown_ = "-";  // the boot the files tell of; empty: down
};

}  // namespace sickbay::simworld
