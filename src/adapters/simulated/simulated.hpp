// The adapters `simulated`: the simulated world (src/simworld) over its socket, as one scheduler or as the provider.
// They do what adapters of real systems do, so that killing the server does not kill the world, and nothing more.
#pragma once

#include <mutex>
#include <optional>

#include "ports/provider.hpp"
#include "ports/scheduler.hpp"

namespace sickbay::adapters {

class SimulatedScheduler final : public Scheduler {
 public:
  // `url`: of the world, http://127.0.0.1:PORT. `name`: the scheduler in it. `installation`: goes into every mark.
  SimulatedScheduler(std::string url, std::string name, std::string installation)
      : url_(std::move(url)), name_(std::move(name)), installation_(std::move(installation)) {}
  Observation observe(std::string_view node_name, Duration timeout) override;
  Reply place(const Operation& operation, Duration timeout) override;
  Reply release(const Operation& operation, Duration timeout) override;
  Reply drain(const Operation& operation, Duration timeout) override;
  Result<std::vector<ListedNode>> list(Duration timeout) override;

 private:
  Reply send(const Operation& operation, OperationKind kind, Duration timeout);
  std::string url_, name_, installation_;
};

class SimulatedProvider final : public Provider {
 public:
  explicit SimulatedProvider(std::string url) : url_(std::move(url)) {}
  // Asked once and remembered; while the world has never answered, nothing can be done and nothing is promised.
  ProviderCapabilities capabilities() const override;
  Reply start(const Operation& operation, Duration timeout) override;
  OperationView observe(const Operation& operation, Duration timeout) override;
  Result<std::vector<ListedHost>> hosts(Duration timeout) override;

 private:
  std::string url_;
  mutable std::mutex mutex_;
  mutable std::optional<ProviderCapabilities> capabilities_;
};

}  // namespace sickbay::adapters
