// One cluster at a glance: is it healthy, what waits for a person, how long do repairs take.
#pragma once

#include <boost/describe/class.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/node.hpp"
#include "resources/adapter.hpp"

namespace sickbay::resources {

struct WaitingForAPerson {
  std::string remediation_id, node_name, question;
  BOOST_DESCRIBE_CLASS(WaitingForAPerson, (), (remediation_id, node_name, question), (), ())
};
// A turn that fails again and again: nothing is decided about what it is of.
struct FailingTurn {
  WorkKind kind = WorkKind::node;
  std::string node_name;  // of a node's
  int failures = 0;       // in a row
  std::string error;      // of the last one
  Time next_at{};
  BOOST_DESCRIBE_CLASS(FailingTurn, (), (kind, node_name, failures, error, next_at), (), ())
};
// Medians over the repairs that ended in SUCCEEDED, of the newest 200 of the cluster.
struct TimeToReturn {
  std::uint64_t repairs = 0;
  std::optional<Duration> approval, wait, action, verify, whole;
  BOOST_DESCRIBE_CLASS(TimeToReturn, (), (repairs, approval, wait, action, verify, whole), (), ())
};
struct Summary {
  std::string cluster_id, cluster_name, headline;
  std::uint64_t nodes = 0;
  std::map<std::string, std::uint64_t> nodes_by_state, hosts_by_state, open_repairs_by_state;
  std::uint64_t firing = 0, pending = 0;
  Breaker breaker;
  std::vector<UnreachableAdapter> unreachable;  // what of all this cannot be seen now
  std::vector<FailingTurn> failing_turns;       // the first 100, from five failures in a row on
  std::vector<WaitingForAPerson> waiting_for_a_person;
  TimeToReturn time_to_return;
  std::uint64_t policy_version = 0;
  bool observe_only = false, clock_diverged = false, ingest_lagging = false;
  BOOST_DESCRIBE_CLASS(Summary, (),
                       (cluster_id, cluster_name, headline, nodes, nodes_by_state, hosts_by_state,
                        open_repairs_by_state, firing, pending, breaker, unreachable, failing_turns,
                        waiting_for_a_person, time_to_return, policy_version, observe_only, clock_diverged,
                        ingest_lagging),
                       (), ())
};

}  // namespace sickbay::resources
