// One history of Sickbay in the simulated world, decided whole by its seed: two or three replicas of the real engine on
// one real store, stepping as fibers; agents, people and misfortune around them; and the invariants of the engine
// (invariants.hpp), checked as things happen and once everything has come to rest.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace sickbay::simulation {

struct Options {
  std::uint64_t seed = 1;
  bool trace = false;       // keep what happened, line by line
  engine::Planted planted;  // mistakes to be caught
};

struct Outcome {
  std::vector<std::string> violations;  // none: the history was right
  std::vector<std::string> trace;
  std::uint64_t steps = 0, awaits = 0;  // of replicas
  std::uint64_t effects = 0;            // actions carried out in the world
  std::uint64_t repairs = 0, succeeded = 0, failed = 0;
  Duration simulated{};
  std::map<std::string, std::uint64_t> met;  // how often this history met what is worth meeting, by name
};

// The names in Outcome::met. A long run that never met one of them proves less than it says.
const std::vector<std::string>& worth_meeting();

Outcome run(const Options& options);

}  // namespace sickbay::simulation
