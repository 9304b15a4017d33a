// A provider does the actions: reboot, reprovision, migrate, remove, power-cycle. Calls block at most for `timeout`
// (not positive: nothing is sent) and never throw. Contract, checked by tests/conformance:
// - start() sends the operation once. With dedup_by_operation_id the same operation id again has no second effect; with
//   fenced_by_boot it is refused when the node's boot is not operation.boot_before.
// - observe() changes nothing. `not_seen` says only that the provider knows of no such operation, which never proves
//   that none is on its way.
#pragma once

#include <vector>

#include "model/node.hpp"
#include "model/repair.hpp"
#include "ports/reply.hpp"

namespace sickbay {

struct ProviderCapabilities {
  std::vector<Action> actions;
  bool dedup_by_operation_id = false;
  bool fenced_by_boot = false;
  bool reprovision_keeps_host = true;
  std::vector<std::string> kept_paths;  // local paths that a reboot keeps
  BOOST_DESCRIBE_CLASS(ProviderCapabilities, (),
                       (actions, dedup_by_operation_id, fenced_by_boot, reprovision_keeps_host, kept_paths), (), ())
};

// unreadable: the look itself failed.
BOOST_DEFINE_ENUM_CLASS(Progress, not_seen, running, succeeded, failed, unreadable)

struct OperationView {
  Progress progress = Progress::unreadable;
  std::string detail;
  std::string host;        // the host the node is on once it succeeded, where the provider knows
  std::string machine_id;  // the installation it made, where it knows
  BOOST_DESCRIBE_CLASS(OperationView, (), (progress, detail, host, machine_id), (), ())
};

// A host as the provider lists it.
struct ListedHost {
  std::string id, node, pool;
  std::string provider_state;  // in-use, spare, vacated
  Shape shape;
  std::optional<Time> checked_at;
  BOOST_DESCRIBE_CLASS(ListedHost, (), (id, node, pool, provider_state, shape, checked_at), (), ())
};

class Provider {
 public:
  virtual ~Provider() = default;
  virtual ProviderCapabilities capabilities() const = 0;
  virtual Reply start(const Operation& operation, Duration timeout) = 0;
  virtual OperationView observe(const Operation& operation, Duration timeout) = 0;
  virtual Result<std::vector<ListedHost>> hosts(Duration timeout) = 0;
};

}  // namespace sickbay
