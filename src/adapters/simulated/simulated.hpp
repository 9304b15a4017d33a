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
  SimulatedScheduler(std::string url, std::string name, std::string installation, const Clock& clock)
      : url_(std::move(url)), name_(std::move(name)), installation_(std::move(installation)), clock_(clock) {}
  Observation observe(std::string_view node_name, Duration deadline) override;
  Reply place(const Operation& operation, Duration deadline) override;
  Reply release(const Operation& operation, Duration deadline) override;
  Reply drain(const Operation& operation, Duration deadline) override;
  Result<std::vector<ListedNode>> list(Duration deadline) override;

 private:
  Reply send(const Operation& operation, OperationKind kind, Duration deadline);
  std::string url_, name_, installation_;
  const Clock& clock_;
};

class SimulatedProvider final : public Provider {
 public:
  SimulatedProvider(std::string url, const Clock& clock) : url_(std::move(url)), clock_(clock) {}
  // Asked once and remembered; while the world has never answered, nothing can be done and nothing is promised.
  ProviderCapabilities capabilities() const override;
  Reply start(const Operation& operation, Duration deadline) override;
  OperationView observe(const Operation& operation, Duration deadline) override;
  Result<std::vector<ListedHost>> hosts(Duration deadline) override;

 private:
  std::string url_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  mutable std::optional<ProviderCapabilities> capabilities_;
};

}  // namespace sickbay::adapters
