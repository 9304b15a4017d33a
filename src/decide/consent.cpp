// Who must agree to an action (product.md 4.1): the consent list, first match wins for each fault, and over several
// faults the strictest answer wins.
#include <algorithm>

#include "decide/turn.hpp"

namespace sickbay::decide {

namespace {

// "DmesgXidError/119" means that fault, "DmesgXidError" every code of it, "Npd*" everything that begins so.
bool names_fault(std::string_view pattern, const Fault& fault) {
  const std::string text = fault.text();
  if (!pattern.empty() && pattern.back() == '*') {
    pattern.remove_suffix(1);
    return std::string_view(text).starts_with(pattern);
  }
  return pattern == text || pattern == fault.name;
}

bool matches(const ConsentRule& rule, const Fault* fault, Action action, const Node& node) {
  if (!rule.faults.empty()) {
    if (!fault) return false;
    if (std::ranges::none_of(rule.faults, [&](const auto& pattern) { return names_fault(pattern, *fault); })) {
      return false;
    }
  }
  if (!rule.actions.empty() && std::ranges::find(rule.actions, action) == rule.actions.end()) return false;
  if (!rule.pools.empty() && std::ranges::find(rule.pools, node.pool) == rule.pools.end()) return false;
  return std::ranges::all_of(rule.nodes, [&](const auto& label) {
    const auto found = node.labels.find(label.first);
    return found != node.labels.end() && found->second == label.second;
  });
}

ConsentDecision consent_for(const Policy& policy, const Fault* fault, Action action, const Node& node) {
  for (std::size_t i = 0; i < policy.consent.size(); ++i) {
    if (matches(policy.consent[i], fault, action, node)) {
      return {policy.consent[i].consent, fmt::format("consent[{}]", i)};
    }
  }
  return {policy.confirmation == Confirmation::automatic ? ConsentAnswer::auto_ : ConsentAnswer::ask, "confirmation"};
}

}  // namespace

ConsentDecision consent(const Policy& policy, const std::vector<Alert>& alerts, Action action, const Node& node) {
  if (!node.auto_repair) return {ConsentAnswer::never, "this node is opted out of automatic repair"};
  ConsentDecision strictest;
  if (alerts.empty()) {
    strictest = consent_for(policy, nullptr, action, node);
  } else {
    strictest.answer = ConsentAnswer::auto_;
    for (const Alert& alert : alerts) {
      ConsentDecision one = consent_for(policy, &alert.fault, action, node);
      if (alert.always_ask && one.answer == ConsentAnswer::auto_) {
        one = {ConsentAnswer::ask, alert.fault.text() + " always asks"};
      }
      if (strictest.rule.empty() || one.answer > strictest.answer) strictest = one;  // auto < ask < never
    }
  }
  if (action == Action::remove && strictest.answer == ConsentAnswer::auto_) {
    return {ConsentAnswer::ask, "remove always asks"};
  }
  return strictest;
}

}  // namespace sickbay::decide
