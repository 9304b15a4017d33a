// A provider does the actions: reboot, reprovision, migrate, remove, power-cycle. Calls block at most for `timeout`
// (not positive: nothing is sent) and never throw. Contract, checked by tests/conformance:
// - start() sends the operation once. With dedup_by_operation_id the same operation id again has no second effect; with
//   fenced_by_boot it is refused when the node's boot is not operation.boot_before.
// - cancel() recalls what has not begun: `done` says that it certainly did not happen and never will; `refused` that it
//   cannot be recalled. It never stops what has begun, and may be repeated.
// - observe() changes nothing. `not_seen` says only that the provider knows of no such operation, which never proves
//   that none is on its way.
#pragma once

#include <vector>

#include "model/node.hpp"
#include "model/provider.hpp"
#include "model/repair.hpp"
#include "model/reply.hpp"

namespace sickbay {

// A host as the provider lists it. Several nodes may share one (virtual machines).
struct ListedHost {
  std::string id, pool;
  std::vector<std::string> nodes;
  HostState state = HostState::in_use;  // in_use, spare or vacated; what is asked of people is not a provider's
  Shape shape;
  std::optional<Time> checked_at;
  BOOST_DESCRIBE_CLASS(ListedHost, (), (id, pool, nodes, state, shape, checked_at), (), ())
};

class Provider {
 public:
  virtual ~Provider() = default;
  virtual Result<ProviderCapabilities> capabilities(Duration timeout) = 0;
  virtual Reply start(const Operation& operation, Duration timeout) = 0;
  virtual Reply cancel(const Operation& operation, Duration timeout) = 0;
  virtual OperationView observe(const Operation& operation, Duration timeout) = 0;
  virtual Result<std::vector<ListedHost>> hosts(Duration timeout) = 0;
};

}  // namespace sickbay
