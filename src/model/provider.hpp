// What a provider declares of itself. It is asked by the periodic sync and kept in the database; while it has never
// answered nothing is known, which is not the same as "cannot".
#pragma once

#include <algorithm>
#include <boost/describe/class.hpp>
#include <string>
#include <vector>

#include "model/words.hpp"

namespace sickbay {

// An action of the provider rewrites the marks in schedulers of this kind: `scontrol reboot` ends a drain of Slurm. A
// mark that is missing afterwards was taken by nobody, and is placed again.
struct Disturbance {
  Action action = Action::none;
  SchedulerKind scheduler = SchedulerKind::slurm;
  BOOST_DESCRIBE_CLASS(Disturbance, (), (action, scheduler), (), ())
};

// The local paths whose data an action keeps.
struct KeptPaths {
  Action action = Action::none;
  std::vector<std::string> paths;
  BOOST_DESCRIBE_CLASS(KeptPaths, (), (action, paths), (), ())
};

struct ProviderCapabilities {
  std::vector<Action> actions = {};
  bool dedup_by_operation_id = false;
  bool fenced_by_boot = false;
  std::vector<Action> cancellable = {};  // what cancel() can recall before it began
  std::vector<Disturbance> disturbs = {};
  std::vector<KeptPaths> kept_paths = {};

  bool can(Action action) const { return std::ranges::find(actions, action) != actions.end(); }
  bool can_cancel(Action action) const { return std::ranges::find(cancellable, action) != cancellable.end(); }
  bool is_fenced() const { return dedup_by_operation_id || fenced_by_boot; }
  bool disturbs_marks(Action action, SchedulerKind kind) const {
    return std::ranges::any_of(disturbs,
                               [&](const Disturbance& d) { return d.action == action && d.scheduler == kind; });
  }
  BOOST_DESCRIBE_CLASS(ProviderCapabilities, (),
                       (actions, dedup_by_operation_id, fenced_by_boot, cancellable, disturbs, kept_paths), (), ())
};

// How far an operation is. unreadable: the look itself failed.
BOOST_DEFINE_ENUM_CLASS(Progress, not_seen, running, succeeded, failed, unreadable)

struct OperationView {
  Progress progress = Progress::unreadable;
  std::string detail;
  std::string host;  // the host the node is on once it succeeded, where the provider knows

  BOOST_DESCRIBE_CLASS(OperationView, (), (progress, detail, host), (), ())
};

}  // namespace sickbay
