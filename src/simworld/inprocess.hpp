// The ports on a World in the same process, for tests and the simulation. At every await they call a hook, so that
// a harness can pause, crash or be overtaken there: a call that was checked in time may still be sent late.
#pragma once

#include "simworld/world.hpp"

namespace sickbay::simworld {

// before_send: checked, not yet sent. after_send: the world has it, the caller does not have the answer. looking: an
// observation or list is about to be made; looked: it was made but not yet returned, so it may be stale when it is.
BOOST_DEFINE_ENUM_CLASS(Point, before_send, after_send, looking, looked)
using Hook = std::function<void(Point)>;

class InProcessScheduler final : public Scheduler {
 public:
  InProcessScheduler(World& world, std::string name, std::string installation, Hook hook = {})
      : world_(world), name_(std::move(name)), installation_(std::move(installation)), hook_(std::move(hook)) {}
  SchedulerCapabilities capabilities() const override { return world_.declared(name_); }
  NodeStatus observe(std::string_view node_name, Duration timeout) override;
  Reply cordon(const Operation& operation, Duration timeout) override;
  Reply uncordon(const Operation& operation, Duration timeout) override;
  Reply drain(const Operation& operation, Duration timeout) override;
  Result<std::vector<NodeStatus>> list(Duration timeout) override;

 private:
  Reply send(const Operation& operation, OperationKind kind, Duration timeout);
  World& world_;
  std::string name_, installation_;
  Hook hook_;
};

class InProcessProvider final : public Provider {
 public:
  explicit InProcessProvider(World& world, Hook hook = {}) : world_(world), hook_(std::move(hook)) {}
  Result<ProviderCapabilities> capabilities(Duration timeout) override;
  Reply start(const Operation& operation, Duration timeout) override;
  Reply cancel(const Operation& operation, Duration timeout) override;
  OperationView observe(const Operation& operation, Duration timeout) override;
  Result<std::vector<ListedHost>> hosts(Duration timeout) override;

 private:
  World& world_;
  Hook hook_;
};

}  // namespace sickbay::simworld
