// The policy document of product.md 4.1, per cluster and versioned. Its defaults are product.md's numbers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "model/finding.hpp"
#include "model/scheduling.hpp"
#include "model/words.hpp"

namespace sickbay {

BOOST_DEFINE_ENUM_CLASS(Confirmation, approve, automatic)
BOOST_DEFINE_ENUM_CLASS(ConsentAnswer, auto_, ask, never)

// First match wins. An absent selector matches everything.
struct ConsentRule {
  std::vector<std::string> faults;  // "DmesgXidError/119", "DmesgXidError" (every code), "Npd*"
  std::vector<Action> actions;
  std::vector<std::string> pools;
  std::map<std::string, std::string> nodes;  // labels that must be equal
  ConsentAnswer consent = ConsentAnswer::ask;
  BOOST_DESCRIBE_CLASS(ConsentRule, (), (faults, actions, pools, nodes, consent), (), ())
};

struct WaitPolicy {
  bool for_idle = true;
  Duration at_most = hours{2};          // at most 24 h
  bool never_interrupt_jobs = false;    // wait without limit
  Duration grace_period = minutes{30};  // where not for idle
  Duration drain_deadline = minutes{15};
  bool force_drain_after_deadline = false;  // false: a person decides
  DrainOptions drain;
  BOOST_DESCRIBE_CLASS(WaitPolicy, (),
                       (for_idle, at_most, never_interrupt_jobs, grace_period, drain_deadline,
                        force_drain_after_deadline, drain),
                       (), ())
};

struct LimitPolicy {
  std::uint32_t slots_per_pool = 1;
  std::optional<std::uint32_t> slots_per_cluster;  // absent: max(1, ceil(2 % of nodes))
  double out_of_service_percent = 10;              // no repair starts above; at least 2 nodes
  Duration cooldown = minutes{30};
  BOOST_DESCRIBE_CLASS(LimitPolicy, (), (slots_per_pool, slots_per_cluster, out_of_service_percent, cooldown), (), ())
};

struct BreakerPolicy {
  double approvals_percent = 2;   // opens when automatic approvals pass max(3, this) in 10 min
  double unhealthy_percent = 20;  // or when max(3, this) of nodes turn unhealthy within 5 min
  BOOST_DESCRIBE_CLASS(BreakerPolicy, (), (approvals_percent, unhealthy_percent), (), ())
};

struct DeadlinePolicy {
  Duration reboot = minutes{15};
  Duration other_actions = minutes{60};
  Duration verify = minutes{30};
  Duration verify_quiet = minutes{5};  // no firing alert with an action for this long
  Duration auto_resolve = minutes{5};  // all alerts clear for this long
  BOOST_DESCRIBE_CLASS(DeadlinePolicy, (), (reboot, other_actions, verify, verify_quiet, auto_resolve), (), ())
};

struct Policy {
  Confirmation confirmation = Confirmation::approve;
  std::vector<ConsentRule> consent;
  WaitPolicy wait;
  LimitPolicy limits;
  BreakerPolicy breaker;
  DeadlinePolicy deadlines;
  bool power_cycle_enabled = false;
  bool requester_may_not_approve = false;
  std::vector<FaultRule> faults;  // override rows of the fault table
  BOOST_DESCRIBE_CLASS(Policy, (),
                       (confirmation, consent, wait, limits, breaker, deadlines, power_cycle_enabled,
                        requester_may_not_approve, faults),
                       (), ())
};

struct PolicyVersion {
  std::string cluster;
  std::uint64_t version = 1;
  Policy policy;
  std::string changed_by, comment;
  Time changed_at{};
  BOOST_DESCRIBE_CLASS(PolicyVersion, (), (cluster, version, policy, changed_by, comment, changed_at), (), ())
};

}  // namespace sickbay
