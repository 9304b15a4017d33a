#include "model/finding.hpp"

#include <algorithm>

namespace sickbay {

FaultRule FaultTable::find(const Fault& fault) const {
  const FaultRule* wildcard = nullptr;
  for (const FaultRule& rule : rules) {
    if (rule.name != fault.name) continue;
    if (rule.code == fault.code) return rule;
    if (rule.code == "*" && !wildcard) wildcard = &rule;
  }
  if (wildcard) return *wildcard;
  FaultRule unknown;
  unknown.name = fault.name;
  unknown.severity = Severity::warning;
  unknown.action = Action::none;
  unknown.holds_for = seconds{60};
  return unknown;
}

FaultTable FaultTable::with(const std::vector<FaultRule>& overrides) const {
  FaultTable table{overrides};
  for (const FaultRule& rule : rules) {
    const auto same = [&](const FaultRule& own) { return own.name == rule.name && own.code == rule.code; };
    if (std::none_of(overrides.begin(), overrides.end(), same)) table.rules.push_back(rule);
  }
  return table;
}

}  // namespace sickbay
