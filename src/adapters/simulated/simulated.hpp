// The adapters `simulated`: the simulated world (src/simworld) over its socket, as one scheduler or as the provider.
// They do what adapters of real systems do, so that killing the server does not kill the world, and nothing more.
#pragma once

#include <string>

#include "ports/provider.hpp"
#include "ports/scheduler.hpp"

namespace sickbay::adapters {

class SimulatedScheduler final : public Scheduler {
 public:
  // `url`: of the world, http://127.0.0.1:PORT. `name`: the scheduler in it, which keeps what `declared` says.
  // `installation`: goes into every mark.
  SimulatedScheduler(std::string url, std::string name, std::string installation, SchedulerCapabilities declared)
      : url_(std::move(url)),
        name_(std::move(name)),
        installation_(std::move(installation)),
        declared_(std::move(declared)) {}
  SchedulerCapabilities capabilities() const override { return declared_; }
  NodeStatus observe(std::string_view node_name, Duration timeout) override;
  Reply cordon(const Operation& operation, Duration timeout) override;
  Reply uncordon(const Operation& operation, Duration timeout) override;
  Reply drain(const Operation& operation, Duration timeout) override;
  Result<std::vector<NodeStatus>> list(Duration timeout) override;

 private:
  Reply send(const Operation& operation, OperationKind kind, Duration timeout);
  std::string url_, name_, installation_;
  SchedulerCapabilities declared_;
};

class SimulatedProvider final : public Provider {
 public:
  explicit SimulatedProvider(std::string url) : url_(std::move(url)) {}
  Result<ProviderCapabilities> capabilities(Duration timeout) override;
  Reply start(const Operation& operation, Duration timeout) override;
  Reply cancel(const Operation& operation, Duration timeout) override;
  OperationView observe(const Operation& operation, Duration timeout) override;
  Result<std::vector<ListedHost>> hosts(Duration timeout) override;

 private:
  std::string url_;
};

}  // namespace sickbay::adapters
