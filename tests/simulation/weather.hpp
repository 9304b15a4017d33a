// What one seed's history is made of: how big the world is and how often each kind of trouble comes. Each seed has some
// kinds of trouble and not others, so that rare combinations are reached and quiet ones stay quiet.
#pragma once

#include <cstdint>
#include <random>

#include "base/time.hpp"
#include "model/policy.hpp"
#include "simworld/entry.hpp"

namespace sickbay::simulation {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  bool chance(double probability) { return probability > 0 && uniform() < probability; }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : engine_() % bound; }
  Duration between(Duration from, Duration to) {
    return from + Duration{static_cast<std::int64_t>(below(static_cast<std::uint64_t>((to - from).count()) + 1))};
  }
  template <class List>
  auto& pick(List& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937_64 engine_;
};

struct Plan {
  std::size_t replicas = 2;
  simworld::Config world;
  Policy policy;
  Duration trouble = minutes{10};                 // how long there is trouble; then the world calms down
  std::uint32_t faults = 1;                       // injected meanwhile
  double crash = 0, pause = 0, interleave = 0.3;  // at each await
  double commit_unknown = 0;                      // of each commit
  double people = 0;                              // meddling: cordons, uncordons, cancels; at each moment somebody acts
  double foreign_controller = 0;                  // drops our marks
  double late_findings = 0, old_session = 0, clone = 0, wiped = 0, silence = 0,
         wrong_clock = 0;  // agents, at each moment of theirs
  double node_crash = 0, node_death = 0, scheduler_down = 0, clock_step = 0;
};

Plan make_plan(Random& random);

}  // namespace sickbay::simulation
