// Checks a policy document before it becomes a version: every bound of product.md 4.1 and 4.3, each error with its
// field and what would be right.
#include <algorithm>
#include <cmath>

#include "decide/turn.hpp"

namespace sickbay::decide {

namespace {

constexpr Duration kLongestWait = hours{24};  // product.md 4.1
constexpr Duration kLongest = hours{24};

struct Checker {
  PolicyCheck out;

  void error(std::string field, std::string message) {
    out.errors.push_back(Error{Errc::invalid, field + ": " + message, field});
  }
  void duration(std::string field, Duration value, Duration least, Duration most) {
    if (value >= least && value <= most) return;
    error(std::move(field), fmt::format("{} is not between {} and {}", format_duration(value), format_duration(least),
                                        format_duration(most)));
  }
  void percent(std::string field, double value, double least) {
    if (std::isfinite(value) && value >= least && value <= 100) return;
    error(std::move(field), fmt::format("{} is not a percentage from {} to 100", value, least));
  }
};

void check_consent(Checker& check, const Policy& policy) {
  for (std::size_t i = 0; i < policy.consent.size(); ++i) {
    const ConsentRule& rule = policy.consent[i];
    const std::string at = fmt::format("consent[{}]", i);
    for (std::size_t j = 0; j < rule.faults.size(); ++j) {
      const std::string& pattern = rule.faults[j];
      const std::string field = fmt::format("{}.faults[{}]", at, j);
      if (pattern.empty()) check.error(field, "is empty; leave 'faults' out to match every fault");
      const auto star = pattern.find('*');
      if (star != std::string::npos && star + 1 != pattern.size()) {
        check.error(field, fmt::format("'{}' has a '*' that is not at its end", pattern));
      }
    }
    for (std::size_t j = 0; j < rule.actions.size(); ++j) {
      const std::string field = fmt::format("{}.actions[{}]", at, j);
      if (rule.actions[j] == Action::none) check.error(field, "'none' is no action; leave it out");
      if (rule.actions[j] == Action::remove && rule.consent == ConsentAnswer::auto_) {
        check.out.notes.push_back(field + ": remove always asks, whatever this rule says");
      }
    }
    const bool matches_all = rule.faults.empty() && rule.actions.empty() && rule.pools.empty() && rule.nodes.empty();
    if (matches_all && i + 1 < policy.consent.size()) {
      check.out.notes.push_back(at + " matches everything: the rules after it never apply");
    }
  }
}

void check_faults(Checker& check, const Policy& policy) {
  for (std::size_t i = 0; i < policy.faults.size(); ++i) {
    const FaultRule& rule = policy.faults[i];
    const std::string at = fmt::format("faults[{}]", i);
    if (rule.name.empty()) check.error(at + ".name", "a fault needs a name, such as DmesgXidError");
    for (const auto& action : {rule.action, rule.action_again}) {
      if (action == Action::remove) check.error(at + ".action", "remove is never recommended by a fault");
    }
    if (rule.repeats == 0) check.error(at + ".repeats", "must be at least 1");
    check.duration(at + ".holds_for", rule.holds_for, Duration{}, kLongest);
    check.duration(at + ".quiet_for", rule.quiet_for, Duration{}, hours{24 * 30});
    if (!rule.look.empty()) check.out.notes.push_back(at + ".look has no effect: agents know the shipped rows only");
    if (rule.power_cycle_where_enabled && !policy.power_cycle_enabled) {
      check.out.notes.push_back(at + ": power-cycle is not enabled in this policy, so this row's own action is taken");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (policy.faults[j].name == rule.name && policy.faults[j].code == rule.code) {
        check.error(at, fmt::format("faults[{}] is about the same fault already", j));
      }
    }
  }
}

}  // namespace

PolicyCheck check_policy(const Policy& policy) {
  Checker check;
  const WaitPolicy& wait = policy.wait;
  check.duration("wait.at_most", wait.at_most, Duration{}, kLongestWait);
  check.duration("wait.grace_period", wait.grace_period, Duration{}, kLongestWait);
  check.duration("wait.drain_deadline", wait.drain_deadline, seconds{30}, kLongest);
  if (wait.drain.grace) check.duration("wait.drain.grace", *wait.drain.grace, Duration{}, kLongest);
  if (wait.drain.force_after) check.duration("wait.drain.force_after", *wait.drain.force_after, Duration{}, kLongest);
  if (wait.never_interrupt_jobs && !wait.for_idle) {
    check.error("wait.never_interrupt_jobs",
                "needs wait.for_idle: without it jobs are interrupted after the grace period");
  }
  if (wait.never_interrupt_jobs && wait.force_drain_after_deadline) {
    check.out.notes.push_back("wait.force_drain_after_deadline has no effect with wait.never_interrupt_jobs");
  }
  if (policy.limits.slots_per_pool == 0)
    check.error("limits.slots_per_pool", "must be at least 1, or nothing is repaired");
  if (policy.limits.slots_per_cluster == 0U) {
    check.error("limits.slots_per_cluster", "must be at least 1, or nothing is repaired");
  }
  check.percent("limits.out_of_service_percent", policy.limits.out_of_service_percent, 0);
  check.duration("limits.cooldown", policy.limits.cooldown, Duration{}, hours{24 * 7});
  check.percent("breaker.approvals_percent", policy.breaker.approvals_percent, 0);
  check.percent("breaker.unhealthy_percent", policy.breaker.unhealthy_percent, 0);
  check.duration("deadlines.reboot", policy.deadlines.reboot, minutes{1}, kLongest);
  check.duration("deadlines.other_actions", policy.deadlines.other_actions, minutes{1}, kLongest);
  check.duration("deadlines.verify", policy.deadlines.verify, minutes{1}, kLongest);
  check.duration("deadlines.verify_quiet", policy.deadlines.verify_quiet, Duration{}, kLongest);
  check.duration("deadlines.auto_resolve", policy.deadlines.auto_resolve, Duration{}, kLongest);
  if (policy.deadlines.verify_quiet >= policy.deadlines.verify) {
    check.error("deadlines.verify_quiet", "must be shorter than deadlines.verify, or no repair can be verified");
  }
  check_consent(check, policy);
  check_faults(check, policy);
  return std::move(check.out);
}

}  // namespace sickbay::decide
