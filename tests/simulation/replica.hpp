// One replica in a history: the real engine with adapters into the world, running as a fiber that may be paused,
// overtaken or crashed at each await. A crash ends the engine and everything in its memory; a new start comes later,
// with another name.
#pragma once

#include <functional>
#include <memory>

#include "engine/engine.hpp"
#include "simworld/inprocess.hpp"
#include "tests/simulation/agents.hpp"
#include "tests/simulation/fiber.hpp"

namespace sickbay::simulation {

class Replica {
 public:
  struct Surroundings {
    const Plan& plan;
    const Knowledge& knowledge;
    simworld::World& world;
    store::Store& store;
    Random& random;
    engine::Planted planted;
    std::function<void(const std::string&)> trace;
  };
  Replica(std::string name, std::uint64_t seed, const Surroundings& around);

  // Runs until the next await. Only when is_runnable().
  void step();
  bool is_runnable(Duration elapsed) const { return fiber_ && !idle_ && elapsed >= paused_until_; }
  bool is_held_up(Duration elapsed) const { return fiber_ && elapsed < paused_until_; }
  void wake() { idle_ = false; }  // time has passed: look for work again
  void calm() { calm_ = true; }   // no more trouble
  // Starts it anew when it is down and its time has come; flushes heartbeats at intervals.
  void tend(Duration elapsed);
  std::optional<Duration> next(Duration elapsed) const;
  ManualClock& clock() { return clock_; }
  void advance(Duration by) { clock_.advance(by); }
  engine::Intake* intake() { return engine_ && elapsed_ >= paused_until_ ? &engine_->intake() : nullptr; }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t awaits() const { return awaits_; }

 private:
  void start();
  void run(Fiber& fiber);
  void await(std::string_view where);
  void connect();

  const std::string name_;
  const Surroundings& around_;
  ManualClock clock_;
  SeededIds ids_;
  engine::CurrentAdapters adapters_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<Fiber> fiber_;
  bool inside_ = false;  // the fiber is running now
  bool idle_ = false, calm_ = false;
  Duration elapsed_{}, paused_until_{}, down_until_{}, flush_at_{};
  std::uint64_t starts_ = 0, steps_ = 0, awaits_ = 0;
};

}  // namespace sickbay::simulation
